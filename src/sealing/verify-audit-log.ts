import { AUDIT_RETENTION_DAYS } from "#contract/endpoints/audit/retention.ts";
import { AuditEntry, type AuditSeal, type AuditSealCopy } from "#contract/endpoints/audit/schemas.ts";
import type { AccountId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { type EntryLine, hashOfEntries, hashOfSeal, sealId } from "#sealing/audit-chain.ts";

/** The audit log as the API returns it, each list with the oldest first. `lines`: the lines of the export. */
export type AuditLog = {
  readonly accountId: AccountId;
  readonly lines: readonly string[];
  readonly seals: readonly AuditSeal[];
  readonly copies: readonly AuditSealCopy[];
};

/** A seal that an earlier verification has shown. */
export type KnownSeal = { readonly number: number; readonly hash: string };

export type EntryRange = { readonly first: number; readonly last: number };

/** The entries that the retention has removed: all up to `last_entry`. The last of them were sealed at `sealed_at`. */
export type RemovedEntries = Pick<AuditSeal, "last_entry" | "sealed_at">;

/**
 * `sealed`: the entries that match their seals. `open`: entries that are not sealed yet. `removed`: entries that the
 * retention has removed: only their seals were verified. null: none.
 */
export type LogCheck =
  | {
      readonly ok: true;
      readonly sealed: EntryRange | null;
      readonly open: EntryRange | null;
      readonly removed: RemovedEntries | null;
    }
  /** `problem`: a sentence that names the entry or the seal. */
  | Flawed;

type Flawed = { readonly ok: false; readonly problem: string };

/** A sentence about the first entry or seal that does not fit; null: all fit. */
type Flaw = string | null;

const DAY_MS = 24 * 60 * 60 * 1000;

/** How much the clock of the installation and this one may differ. */
const CLOCKS_MS = DAY_MS;

/**
 * Verifies that the seals form a chain, that the entries match the seals without a gap, and that the copies match the
 * seals. Only what the hashes cover decides which entries may be missing.
 * @param known the log must contain this seal, and copies that were stored before its own copy are ignored; null: none
 * @param now Unix milliseconds
 */
export async function verifyAuditLog(
  { accountId, lines, seals, copies }: AuditLog,
  known: KnownSeal | null,
  now: number,
): Promise<LogCheck> {
  const flaw = (await flawOfSeals(accountId, seals)) ?? flawOfKnown(seals, known);
  if (flaw !== null) return flawed(flaw);
  const read = readEntries(lines);
  if (!read.ok) return read;
  const matched = await matchEntries(seals, read.entries, now);
  const flawOfCopy = flawOfCopies(seals, copies, known);
  return matched.ok && flawOfCopy !== null ? flawed(flawOfCopy) : matched;
}

const flawed = (problem: string): Flawed => ({ ok: false, problem });

async function flawOfSeals(accountId: AccountId, seals: readonly AuditSeal[]): Promise<Flaw> {
  let before: AuditSeal | null = null;
  for (const seal of seals) {
    const { number } = seal;
    const [due, first] = [(before?.number ?? 0) + 1, (before?.last_entry ?? 0) + 1];
    if (number < due) return `Seal ${number} is there twice.`;
    if (number > due) return `Seal ${due} is missing.`;
    if ((await hashOfSeal(seal, before?.hash ?? null)) !== seal.hash)
      return `Seal ${number} was changed: its hash does not match its fields and the seal before.`;
    if (seal.id !== sealId(accountId, number)) return `Seal ${number} belongs to another account.`;
    if (seal.first_entry !== first || seal.last_entry < first)
      return `Seal ${number} does not begin with entry ${first}.`;
    before = seal;
  }
  return null;
}

function flawOfKnown(seals: readonly AuditSeal[], known: KnownSeal | null): Flaw {
  if (known === null) return null;
  const seal = seals[known.number - 1];
  if (seal === undefined) return `Seal ${known.number}, which you know, is missing.`;
  return seal.hash === known.hash ? null : `Seal ${known.number} does not have the expected hash.`;
}

function readEntries(
  lines: readonly string[],
): { readonly ok: true; readonly entries: readonly EntryLine[] } | Flawed {
  const entries: EntryLine[] = [];
  for (const [at, line] of lines.entries()) {
    // Strict: an unknown field is nothing that Gantry writes, also if the entry is not sealed yet.
    const parsed = AuditEntry.safeParse(parseJson(line));
    const due = (entries.at(-1)?.sequence ?? 0) + 1;
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0] ?? { path: [], message: "Invalid" };
      const place = entries.length === 0 ? `in line ${at + 1}` : `after entry ${due - 1}`;
      return flawed(
        `The entry ${place} has what Gantry does not write: ${[...path, message].join(" ")}. If the installation is newer than this command, update the command.`,
      );
    }
    const { sequence } = parsed.data;
    if (at > 0 && sequence < due) return flawed(`Entry ${sequence} is there twice, or in the wrong place.`);
    if (at > 0 && sequence > due) return flawed(`Entry ${due} is missing.`);
    entries.push({ sequence, line });
  }
  return { ok: true, entries };
}

async function matchEntries(
  seals: readonly AuditSeal[],
  entries: readonly EntryLine[],
  now: number,
): Promise<LogCheck> {
  const newest = seals.at(-1);
  const [firstKept, lastKept] = [entries[0]?.sequence ?? Infinity, entries.at(-1)?.sequence ?? 0];
  let removed: RemovedEntries | null = null;
  for (const seal of seals) {
    const { number, first_entry, last_entry, sealed_at } = seal;
    if (last_entry < firstKept) {
      // The retention removes all entries of a seal at once, and never the entries of the newest seal.
      const isOld = Date.parse(sealed_at) < now - AUDIT_RETENTION_DAYS * DAY_MS + CLOCKS_MS;
      if (!isOld || seal === newest)
        return flawed(
          `The entries ${first_entry} to ${last_entry} of seal ${number} are missing, and the retention does not remove them yet.`,
        );
      removed = { last_entry, sealed_at };
      continue;
    }
    if (first_entry < firstKept) return flawed(`Entry ${firstKept - 1} is missing.`);
    if (last_entry > lastKept) return flawed(`Entry ${lastKept + 1} is missing.`);
    // The entries have no gap.
    const covered = entries.slice(first_entry - firstKept, last_entry - firstKept + 1);
    if ((await hashOfEntries(covered)) !== seal.entries_hash)
      return flawed(`One of the entries ${first_entry} to ${last_entry} of seal ${number} was changed.`);
  }
  if (newest === undefined && entries.length > 0 && firstKept !== 1)
    return flawed(`Entry ${firstKept - 1} is missing.`);
  const [lastRemoved, lastSealed] = [removed?.last_entry ?? 0, newest?.last_entry ?? 0];
  return { ok: true, sealed: range(lastRemoved, lastSealed), open: range(lastSealed, lastKept), removed };
}

/** The numbers after `before` up to `last`; null: none. */
function range(before: number, last: number): EntryRange | null {
  return last > before ? { first: before + 1, last } : null;
}

function flawOfCopies(
  seals: readonly AuditSeal[],
  copies: readonly AuditSealCopy[],
  known: KnownSeal | null,
): Flaw {
  const own = copies.find(({ number, hash }) => number === known?.number && hash === known.hash);
  if (known !== null && own === undefined) return `Seal ${known.number} has no copy in R2.`;
  const compared = copies.filter(({ stored_at }) => stored_at >= (own?.stored_at ?? ""));
  for (const { number, hash, object } of compared) {
    const seal = seals[number - 1];
    if (seal === undefined) return `Seal ${number} is missing: R2 has its copy ${object}.`;
    if (seal.hash !== hash) return `Seal ${number} differs from its copy in R2, ${object}.`;
  }
  const copied = new Set(compared.map(({ number }) => number));
  const lacking = seals.find(({ number }) => number >= (known?.number ?? 1) && !copied.has(number));
  return lacking === undefined ? null : `Seal ${lacking.number} has no copy in R2.`;
}
