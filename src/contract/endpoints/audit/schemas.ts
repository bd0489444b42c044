import * as z from "zod/mini";

import { textBetween, wholeFrom } from "#contract/bounds.ts";
import { EventActor } from "#contract/endpoints/events/schemas.ts";
import { AuditEntryId, ProjectId } from "#contract/ids.ts";
import { NextCursor, PageQuery } from "#contract/paging.ts";
import { growing } from "#contract/growing.ts";

/** Whether a request was carried out, or refused with a problem. */
export const AuditOutcome = z.enum(["done", "refused"]);
export type AuditOutcome = z.infer<typeof AuditOutcome>;

/** What an entry is about. `name`: as it was at that time; null: it has none. */
export const AuditTarget = z.strictObject({
  type: growing(
    z.enum([
      "account",
      "connection",
      "deployment",
      "freeze",
      "hook",
      "invitation",
      "member",
      "project",
      "push",
      "server",
      "session",
      "token",
      "trust_rule",
      "webhook",
    ]),
  ),
  id: z.string(),
  name: z.nullable(z.string()),
});
export type AuditTarget = z.infer<typeof AuditTarget>;

/** The settings that changed, by name. A secret is never among them. */
export const AuditChanges = z.record(z.string(), z.strictObject({ before: z.unknown(), after: z.unknown() }));
export type AuditChanges = z.infer<typeof AuditChanges>;

/**
 * An entry of the audit log. `sequence` counts the entries of the account without gaps. `action`: the operation of the
 * API reference. `code`: the problem of a refused request. `ip`, `request_id`: null: it was not a request.
 */
export const AuditEntry = z.strictObject({
  id: AuditEntryId,
  sequence: wholeFrom(1),
  timestamp: z.string(),
  actor: EventActor,
  ip: z.nullable(z.string()),
  request_id: z.nullable(z.string()),
  action: z.string(),
  outcome: growing(AuditOutcome),
  code: z.nullable(z.string()),
  project_id: z.nullable(ProjectId),
  target: z.nullable(AuditTarget),
  changes: z.nullable(AuditChanges),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/**
 * A seal over the entries from `first_entry` to `last_entry`, and over the seal before. `entries_hash` covers the entries.
 * `hash` covers all other fields and the hash of the seal before, so the seals can be verified after their entries were
 * removed.
 */
export const AuditSeal = z.strictObject({
  id: z.string(),
  number: wholeFrom(1),
  first_entry: wholeFrom(1),
  last_entry: wholeFrom(1),
  entries_hash: z.string(),
  sealed_at: z.string(),
  hash: z.string(),
});
export type AuditSeal = z.infer<typeof AuditSeal>;

/** The copy of a seal in R2. `hash`: computed from what the object contains. `stored_at`: as R2 noted it. */
export const AuditSealCopy = z.strictObject({
  number: wholeFrom(1),
  hash: z.string(),
  object: z.string(),
  stored_at: z.string(),
});
export type AuditSealCopy = z.infer<typeof AuditSealCopy>;

export const AuditEntries = z.strictObject({ entries: z.array(AuditEntry), next_cursor: NextCursor });
export type AuditEntries = z.infer<typeof AuditEntries>;
export const AuditSeals = z.strictObject({ seals: z.array(AuditSeal), next_cursor: NextCursor });
export type AuditSeals = z.infer<typeof AuditSeals>;
export const AuditSealCopies = z.strictObject({ copies: z.array(AuditSealCopy), next_cursor: NextCursor });
export type AuditSealCopies = z.infer<typeof AuditSealCopies>;

export const AuditQuery = z.extend(PageQuery, {
  action: z.optional(textBetween(1, 100)),
  outcome: z.optional(AuditOutcome),
  actor_id: z.optional(textBetween(1, 100)),
  target_id: z.optional(textBetween(1, 100)),
  project_id: z.optional(ProjectId),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
