import { type AccountId, createIdGenerator } from "#contract/ids.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { sealHash } from "#sealing/audit-chain.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { readUnsealed } from "#worker/db/audit/audit-records.ts";
import { findUnsealedAccounts } from "#worker/db/audit/find-unsealed-accounts.ts";
import { changeWrites, type NewEvent } from "#worker/db/changes/change-writes.ts";
import { auditSeals } from "#worker/db/event-tables.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { callEach } from "#worker/schedule/in-time.ts";
import type { Clock, Part } from "#worker/schedule/part.ts";
import { auditEntryView } from "#worker/views/audit-view.ts";

/** The most seals of one step, and the most entries that one covers. The next step seals the rest. */
const MAX_SEALS = 2;
const MAX_ENTRIES = 1_000;

/**
 * Seals the new entries of each account's audit log, and announces the event of it. A seal is stored in R2 first, under
 * its number and hash, where no later seal overwrites it. So if the Worker dies in between, the next step seals again.
 * The round ends when nothing from before its start is unsealed.
 */
export const sealAudit: Part = {
  name: "seal audit logs",
  everyMs: 60 * 60 * 1000,
  // The page of accounts, two reads and two writes for each, and the position. An object in R2 and the feed of each.
  cost: { statements: 2 + 4 * MAX_SEALS, calls: 2 * MAX_SEALS },
  async step({ env, clock, from, startedAt }) {
    // Accounts that could not be sealed stay the first ones. They are tried again in the next round.
    const left = Number(from ?? 0);
    const accounts = await findUnsealedAccounts(env.DB, startedAt, MAX_SEALS, left);
    let isMore = accounts.length === MAX_SEALS;
    const failures = await callEach(
      accounts,
      (accountId) => ({ what: "seal audit logs", account_id: accountId }),
      async (accountId) => {
        if ((await sealSome(env, clock, accountId)) === MAX_ENTRIES) isMore = true;
        return true;
      },
    );
    return { next: isMore ? String(left + failures) : null, failures };
  },
};

/** @returns how many entries it sealed */
async function sealSome(env: Env, clock: Clock, accountId: AccountId): Promise<number> {
  const rows = new AccountRows(env.DB, accountId);
  const { last, entries } = await readUnsealed(rows, MAX_ENTRIES);
  const newest = entries.at(-1);
  if (newest === undefined) return 0;
  const sealedAt = clock.now();
  const seal = {
    number: (last?.number ?? 0) + 1,
    firstEntry: (last?.lastEntry ?? 0) + 1,
    lastEntry: newest.sequence,
    hash: await sealHash(last?.hash ?? "", entries.map(auditEntryView)),
    sealedAt,
  };
  const before = last?.hash ?? null;
  await env.LOGS.put(
    `audit/${accountId}/${seal.number}-${seal.hash}.json`,
    JSON.stringify({ ...seal, before }),
  );
  const id = `${accountId}-${seal.number}`;
  const event = sealedEvent(clock, seal);
  await rows.runTogether([
    // Another run may have sealed them. Then there is no event.
    rows.insertIfNew(auditSeals, { id, ...seal }),
    ...changeWrites(rows, { event, audit: null }),
  ]);
  await announce(env.EVENT_FEED, accountId);
  return entries.length;
}

type Sealed = { readonly number: number; readonly lastEntry: number; readonly hash: string };

function sealedEvent(clock: Clock, { number, lastEntry, hash }: Sealed): NewEvent {
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  return {
    id: createIdGenerator({ ...clock, randomBytes }).event(),
    type: "audit.sealed",
    data: { seal: { number, last_entry: lastEntry, hash } },
    actor: SYSTEM,
    createdAt: clock.now(),
  };
}
