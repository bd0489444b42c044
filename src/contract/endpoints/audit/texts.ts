import type * as z from "zod/mini";

import * as schemas from "#contract/endpoints/audit/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const entry = {
  id: "aud_01kaf4v2w8m4c6j9r1t5x0kh3z",
  sequence: 5120,
  timestamp: "2026-11-20T09:31:07.480Z",
  actor: { type: "token", id: example.token, name: "CI of shop" },
  ip: "203.0.113.7",
  request_id: example.request,
  action: "updateProject",
  outcome: "done",
  code: null,
  project_id: example.project,
  target: { type: "project", id: example.project, name: "shop" },
  changes: { branch: { before: "main", after: "release" } },
} satisfies z.input<typeof schemas.AuditEntry>;

const seal = {
  id: `${example.account}-212`,
  number: 212,
  first_entry: 5093,
  last_entry: 5120,
  entries_hash: "3b1c4d8f0a97e2655c1fd2b90e84a7c36d5f81e02b4a9c7d6e3f50182a94b7c1",
  sealed_at: "2026-11-20T10:17:00.112Z",
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
} satisfies z.input<typeof schemas.AuditSeal>;

export const auditTexts = {
  listAuditEntries: {
    summary: "List the audit log, newest first",
    description: prose`
      Returns one page of the audit log, newest first: who changed what, when, from where, and how. Every change by a
      request has one entry, made in the same transaction, and so has every change that was refused to a valid token (at
      most 60 a minute of one token). You can combine the filters. Secrets are in no entry. Entries are removed 400 days
      after they were sealed, all entries of a seal at once. The entries of the newest seal are kept.

      With \`Accept: application/x-ndjson\`, the response has all entries that match, oldest first, each as an
      \`AuditEntry\` in JSON. \`limit\` and \`cursor\` apply to JSON only.

      A token that is limited to projects sees only the entries about these projects.`,
    answer: { entries: [entry], next_cursor: example.cursor },
    streamed: {
      "application/x-ndjson": {
        pieces: [schemas.AuditEntry],
        example: entry,
        text: `${JSON.stringify(entry)}\n`,
      },
    },
  },
  listAuditSeals: {
    summary: "List the seals of the audit log, newest first",
    description: prose`
      Returns one page of the seals, newest first. Each hour the new entries of the audit log are sealed: the hash of a
      seal covers them and the seal before, so a later change of an entry or a seal breaks the chain. A copy of each seal
      is stored apart from the database (\`GET /v1/audit/seals/copies\`). The command \`gantry audit verify\` computes the
      chain again. Seals are kept after their entries were removed.

      \`entries_hash\` is the SHA-256, in hexadecimal, of the lines of the export (\`GET /v1/audit\` as
      \`application/x-ndjson\`) from \`first_entry\` to \`last_entry\`, each with its line feed. \`hash\` is the SHA-256 of this
      JSON object without spaces: \`id\`, \`number\`, \`before\`, \`first_entry\`, \`last_entry\`, \`entries_hash\` and
      \`sealed_at\`, where \`before\` is the hash of the seal before, or \`null\` for the first.`,
    answer: { seals: [seal], next_cursor: null },
  },
  listAuditSealCopies: {
    summary: "List the copies of the seals, oldest first",
    description: prose`
      Returns one page of the copies of the seals in the R2 bucket of the installation, the lowest number first. Gantry
      never overwrites a copy. \`hash\` is computed from the object at each request, so it equals the hash of the seal as
      long as both are unchanged. A number has a second copy if the database lost a seal, because it was restored to an
      earlier day or somebody removed the seal, and Gantry has since sealed other entries with this number.`,
    answer: {
      copies: [
        {
          number: seal.number,
          hash: seal.hash,
          object: `seals/${example.account}/000000000212.json`,
          stored_at: "2026-11-20T10:17:00.348Z",
        },
      ],
      next_cursor: null,
    },
  },
} as const satisfies Partial<OperationTexts>;

export const auditSchemas = {
  AuditOutcome: choice(schemas.AuditOutcome, "Whether a request was carried out.", {
    done: "the request was carried out",
    refused: "the request was refused with a problem",
  }),
  AuditTarget: object(schemas.AuditTarget, "What an entry is about.", {
    type: "The kind of the object.",
    id: "Its id.",
    name: "Its name at that time. `null` if it has none.",
  }),
  AuditEntry: object(schemas.AuditEntry, "An entry of the audit log.", {
    id: "The entry's id.",
    sequence: "The number of the entry in its account, from 1.",
    timestamp: "When it happened.",
    actor: "Who did it.",
    ip: "The address that the request came from. `null` if it is not known.",
    request_id: "The `X-Request-Id` of the request. `null` if no request caused it.",
    action: "The operation, by its name in this reference.",
    outcome: "Whether it was carried out.",
    code: "The problem's code, if it was refused.",
    project_id: "The project that it concerns. `null`: none.",
    target: "What was changed. `null` if that is not known.",
    changes: "The settings that changed, by name, with their values before and after. `null`: none.",
  }),
  AuditEntries: object(schemas.AuditEntries, "A page of the audit log.", {
    entries: "The entries of this page, newest first.",
    next_cursor: nextCursor,
  }),
  AuditSeal: object(schemas.AuditSeal, "A seal over entries of the audit log.", {
    id: "The id of the account and the number of the seal.",
    number: "The number of the seal, from 1.",
    first_entry: "The number of the first entry that it covers.",
    last_entry: "The number of the last entry that it covers.",
    entries_hash: "The hash of these entries, in hexadecimal.",
    sealed_at: "When the entries were sealed.",
    hash: "The hash of the other fields and of the seal before, in hexadecimal.",
  }),
  AuditSealCopy: object(schemas.AuditSealCopy, "The copy of a seal in R2.", {
    number: "The number of the seal.",
    hash: "The SHA-256 of the object, in hexadecimal.",
    object: "The name of the object in the bucket.",
    stored_at: "When it was stored, as R2 noted it.",
  }),
  AuditSealCopies: object(schemas.AuditSealCopies, "A page of copies of seals.", {
    copies: "The copies of this page, the lowest number first.",
    next_cursor: nextCursor,
  }),
  AuditSeals: object(schemas.AuditSeals, "A page of seals.", {
    seals: "The seals of this page, newest first.",
    next_cursor: nextCursor,
  }),
} satisfies Record<string, SchemaText>;
