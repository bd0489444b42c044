import { type AccountId, createIdGenerator } from "#contract/ids.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { sealHash } from "#sealing/audit-chain.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { readUnsealed } from "#worker/db/audit/audit-records.ts";
import { findUnsealedAccounts } from "#worker/db/audit/find-unsealed-accounts.ts";
import { changeWrites, type NewEvent } from "#worker/db/changes/change-writes.ts";
import { auditSeals } from "#worker/db/event-tables.ts";
import { logFailure } from "#worker/log-failure.ts";
import { auditEntryView } from "#worker/views/audit-view.ts";

/** The most seals of one run, and the most entries that one covers. The next run seals the rest. */
const MAX_SEALS = 20;
const MAX_ENTRIES = 1_000;

type Clock = { now(): number };

/**
 * Seals the new entries of each account's audit log. The job after this one announces the events of it. A seal is stored
 * in R2 first, under its number and hash, where no later seal overwrites it. So if the Worker dies in between, the next
 * run seals again.
 *
 * @throws if an account could not be sealed, after all others; or if D1 does not answer
 */
export async function sealAudit(env: Env, clock: Clock): Promise<void> {
  let failures = 0;
  for (const accountId of await findUnsealedAccounts(env.DB, MAX_SEALS)) {
    try {
      await sealSome(env, clock, accountId);
    } catch (error) {
      failures += 1;
      logFailure("schedule", { what: "seal audit log", account_id: accountId }, error);
    }
  }
  if (failures > 0) throw new Error(`the audit logs of ${failures} accounts could not be sealed`);
}

async function sealSome(env: Env, clock: Clock, accountId: AccountId): Promise<void> {
  const rows = new AccountRows(env.DB, accountId);
  const { last, entries } = await readUnsealed(rows, MAX_ENTRIES);
  const newest = entries.at(-1);
  if (newest === undefined) return;
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
