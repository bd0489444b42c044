import * as z from "zod/mini";

import { AuditSeal } from "#contract/endpoints/audit/schemas.ts";
import type { AccountId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { sha256 } from "#sealing/bytes.ts";

/** An entry of the audit log as a seal covers it. `line`: its line in the export, without the line feed. */
export type EntryLine = { readonly sequence: number; readonly line: string };

/** A seal, and the text whose SHA-256 is its hash. */
export type SealWithText = { readonly seal: AuditSeal; readonly text: string };

/** What the hash of a seal covers. `before`: the hash of the seal before; null: it is the first. */
const SealContent = z.extend(z.omit(AuditSeal, { hash: true }), { before: z.nullable(z.string()) });
type SealContent = z.infer<typeof SealContent>;

/**
 * Seals entries. The control plane calls it, and `gantry audit verify` calculates the same hashes from what the API
 * returns.
 * @param last the seal before; null: none
 * @param sealedAt as in the API
 */
export async function createSeal(
  accountId: AccountId,
  last: Pick<AuditSeal, "number" | "last_entry" | "hash"> | null,
  entries: readonly [EntryLine, ...EntryLine[]],
  sealedAt: string,
): Promise<SealWithText> {
  const number = (last?.number ?? 0) + 1;
  const content = {
    id: sealId(accountId, number),
    number,
    first_entry: (last?.last_entry ?? 0) + 1,
    last_entry: (entries.at(-1) ?? entries[0]).sequence,
    entries_hash: await hashOfEntries(entries),
    sealed_at: sealedAt,
  };
  const text = sealText({ ...content, before: last?.hash ?? null });
  return { seal: { ...content, hash: await sha256(text) }, text };
}

/** What a text of `createSeal` says; null: it is not such a text. Its values are not verified. */
export function readSealText(text: string): SealContent | null {
  return SealContent.safeParse(parseJson(text)).data ?? null;
}

/** The id of a seal: it names the account and the number. */
export function sealId(accountId: AccountId, number: number): string {
  return `${accountId}-${number}`;
}

/** The hash that a seal must have after the seal with the hash `before`. */
export async function hashOfSeal(seal: AuditSeal, before: string | null): Promise<string> {
  return await sha256(sealText({ ...seal, before }));
}

/** SHA-256 in hex of the lines of the export, each with its line feed. */
export async function hashOfEntries(entries: readonly EntryLine[]): Promise<string> {
  return await sha256(entries.map(({ line }) => `${line}\n`).join(""));
}

// The order of the fields must not change: the hashes of earlier seals depend on it.
function sealText(content: SealContent): string {
  const { id, number, before, first_entry, last_entry, entries_hash, sealed_at } = content;
  return JSON.stringify({ id, number, before, first_entry, last_entry, entries_hash, sealed_at });
}
