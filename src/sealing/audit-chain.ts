import type { AuditEntry, AuditSeal } from "#contract/endpoints/audit/schemas.ts";
import { sha256 } from "#sealing/bytes.ts";

/**
 * The hash of a seal: SHA-256 in hex over the hash of the seal before and the entries. The control plane computes it once,
 * and `gantry audit verify` computes it again from what the API answers.
 * @param before the hash of the seal before; empty for the first
 */
export async function sealHash(before: string, entries: readonly AuditEntry[]): Promise<string> {
  return await sha256([before, ...entries.map(canonical)].join("\n"));
}

/** An entry as text: a JSON list of its fields in the order of the schema. */
function canonical(entry: AuditEntry): string {
  const { id, sequence, timestamp, actor, ip, request_id, action } = entry;
  const { outcome, code, project_id, target, changes } = entry;
  return JSON.stringify([
    id,
    sequence,
    timestamp,
    [actor.type, actor.id, actor.name],
    ip,
    request_id,
    action,
    outcome,
    code,
    project_id,
    target === null ? null : [target.type, target.id, target.name],
    changes,
  ]);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Entries are kept for 400 days, and sealed some hours later than they are written. */
const MAY_LACK_AFTER_MS = 390 * DAY_MS;

/**
 * `sealed`: how many entries match their seals. `open`: how many came after the last seal. `expired`: how many seals are
 * so old that their entries may be deleted, and lack some: of these only the order was checked.
 */
export type ChainCheck =
  | { readonly ok: true; readonly sealed: number; readonly open: number; readonly expired: number }
  | { readonly ok: false; readonly seal: AuditSeal; readonly reason: string };

/** Computes the chain of seals again. @param seals, entries from the first one on, in order. @param now Unix milliseconds */
export async function verifyChain(
  seals: readonly AuditSeal[],
  entries: readonly AuditEntry[],
  now: number,
): Promise<ChainCheck> {
  let before: AuditSeal | null = null;
  let [sealed, expired] = [0, 0];
  // Where the entries of the next seal begin: with a search among all, a long log would take minutes.
  let start = 0;
  const sequenceAt = (at: number) => entries[at]?.sequence ?? Infinity;
  for (const seal of seals) {
    const first = (before?.last_entry ?? 0) + 1;
    if (seal.number !== (before?.number ?? 0) + 1)
      return { ok: false, seal, reason: "a seal before it is missing" };
    if (seal.first_entry !== first)
      return { ok: false, seal, reason: `it does not begin with entry ${first}` };
    while (sequenceAt(start) < seal.first_entry) start += 1;
    let end = start;
    while (sequenceAt(end) <= seal.last_entry) end += 1;
    const covered = entries.slice(start, end);
    start = end;
    const missing = seal.last_entry - seal.first_entry + 1 - covered.length;
    if (missing > 0 && Date.parse(seal.sealed_at) < now - MAY_LACK_AFTER_MS) {
      expired += 1;
      before = seal;
      continue;
    }
    if (missing !== 0) return { ok: false, seal, reason: `${missing} of its entries are missing` };
    if ((await sealHash(before?.hash ?? "", covered)) !== seal.hash)
      return { ok: false, seal, reason: "its entries, or the seal before it, were changed" };
    sealed += covered.length;
    before = seal;
  }
  const last = before?.last_entry ?? 0;
  return { ok: true, sealed, open: entries.filter(({ sequence }) => sequence > last).length, expired };
}
