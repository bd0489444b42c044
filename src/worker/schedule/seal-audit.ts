import type { AuditSeal } from "#contract/endpoints/audit/schemas.ts";
import { type AccountId, createIdGenerator } from "#contract/ids.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { createSeal, readSealText, type SealWithText } from "#sealing/audit-chain.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findUnsealedAccounts, readUnsealed } from "#worker/db/audit/audit-records.ts";
import { changeWrites, type NewEvent } from "#worker/db/changes/change-writes.ts";
import { auditSeals } from "#worker/db/event-tables.ts";
import { logFailure } from "#worker/log-failure.ts";
import { SealCopies } from "#worker/logs/seal-copies.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { callEach } from "#worker/schedule/in-time.ts";
import type { Clock, Part } from "#worker/schedule/part.ts";
import { auditLine, auditSealView } from "#worker/views/audit-view.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** The most seals of one step, and the most entries of one seal. The next step seals the rest. */
const MAX_SEALS = 2;
const MAX_ENTRIES = 1_000;

/**
 * Seals the new entries of each account's audit log, and announces the event of it. A seal is stored in R2 first, where
 * no later seal overwrites it. If the Worker dies before D1 has the seal, the next step writes the same seal to D1. The
 * round ends when nothing from before its start is unsealed.
 */
export const sealAudit: Part = {
  name: "seal audit logs",
  everyMs: 60 * 60 * 1000,
  // The page of accounts, two reads and two writes for each, and the position. Up to three calls of R2, because another
  // copy can exist, and the feed of each.
  cost: { statements: 2 + 4 * MAX_SEALS, calls: 4 * MAX_SEALS },
  async step({ env, clock, from, startedAt }) {
    // Accounts that could not be sealed stay the first ones. They are tried again in the next round.
    const left = Number(from ?? 0);
    const accounts = await findUnsealedAccounts(env.DB, startedAt, MAX_SEALS, left);
    let isMore = accounts.length === MAX_SEALS;
    const failures = await callEach(
      accounts,
      (accountId) => ({ what: "seal audit logs", account_id: accountId }),
      async (accountId) => {
        if (!(await sealSome(env, clock, accountId))) isMore = true;
        return true;
      },
    );
    return { next: isMore ? String(left + failures) : null, failures };
  },
};

/** @returns whether it sealed all entries */
async function sealSome(env: Env, clock: Clock, accountId: AccountId): Promise<boolean> {
  const rows = new AccountRows(env.DB, accountId);
  const { last, entries } = await readUnsealed(rows, MAX_ENTRIES);
  const [first, ...more] = entries.map(auditLine);
  if (first === undefined) return true;
  const before = last === null ? null : auditSealView(last);
  if (last !== null && before === null) throw new Error("the row of the last seal is damaged");
  const createFrom = (count: number, sealedAt: string) =>
    createSeal(accountId, before, [first, ...more.slice(0, count - 1)], sealedAt);
  const made = await createFrom(entries.length, timestamp(clock.now()));
  const { seal } = await storeCopy(new SealCopies(env.LOGS, accountId), made, createFrom);
  const { id, number, first_entry, last_entry, entries_hash, sealed_at, hash } = seal;
  const row = {
    id,
    number,
    firstEntry: first_entry,
    lastEntry: last_entry,
    entriesHash: entries_hash,
    sealedAt: Date.parse(sealed_at),
    hash,
  };
  await rows.runTogether([
    // Another run may have sealed them. Then there is no event.
    rows.insertIfNew(auditSeals, row),
    ...changeWrites(rows, { event: sealedEvent(clock, seal), audit: null }),
  ]);
  await announce(env.EVENT_FEED, accountId);
  return entries.length < MAX_ENTRIES && last_entry === made.seal.last_entry;
}

/**
 * Stores the copy of a seal, unless an earlier step died after it had stored a copy: then that seal is used.
 * @param createFrom creates the seal of the first entries that are not sealed
 * @returns the seal to write to D1
 */
async function storeCopy(
  copies: SealCopies,
  made: SealWithText,
  createFrom: (count: number, sealedAt: string) => Promise<SealWithText>,
): Promise<SealWithText> {
  if (await copies.putNew(made)) return made;
  const stored = await copies.textOf(made.seal.number);
  const content = stored === null ? null : readSealText(stored);
  if (content !== null) {
    const again = await createFrom(content.last_entry - made.seal.first_entry + 1, content.sealed_at);
    if (again.text === stored) return again;
  }
  // D1 was restored to an earlier day, or edited. Verifications show it, because both copies are kept.
  await copies.putOther(made);
  const { id } = made.seal;
  logFailure("schedule", { what: "seal audit logs", seal: id }, new Error("R2 has another copy of the seal"));
  return made;
}

function sealedEvent(clock: Clock, { number, last_entry, hash }: AuditSeal): NewEvent {
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  return {
    id: createIdGenerator({ ...clock, randomBytes }).event(),
    type: "audit.sealed",
    data: { seal: { number, last_entry, hash } },
    actor: SYSTEM,
    createdAt: clock.now(),
  };
}
