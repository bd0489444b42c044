import * as z from "zod/mini";

import { AccountId } from "#contract/ids.ts";
import { findAccountsWithEvents } from "#worker/db/events/find-accounts-with-events.ts";
import { findSweepPosition, saveSweepPosition } from "#worker/db/sweep-position.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";

/** The most feeds that one run wakes. */
const MAX_FEEDS = 100;
/** An event can be written some time after it was made. */
const LATE_MS = 10 * 60 * 1000;

const SWEEP = "events";

/** The round goes through the accounts with events since `since`. `after`: the last account that it has announced. */
const Position = z.strictObject({
  since: z.number(),
  startedAt: z.number(),
  after: z.union([AccountId, z.literal("")]),
});
type Position = z.infer<typeof Position>;

const FIRST: Position = { since: 0, startedAt: 0, after: "" };

type Clock = { now(): number };

/**
 * Announces the events since the last round to the feeds of their accounts, because the announcement after a request is
 * lost if the Worker dies. A feed that has handed them over does nothing.
 *
 * @throws if feeds failed, after all others of this run: the round is repeated; or if D1 does not answer
 */
export async function announceEvents(env: Env, clock: Clock): Promise<void> {
  const saved = await findSweepPosition(env.DB, SWEEP);
  const before = saved === null ? FIRST : Position.parse(JSON.parse(saved));
  const round = before.after === "" ? { ...before, startedAt: clock.now() } : before;
  const accounts = await findAccountsWithEvents(env.DB, round.since - LATE_MS, round.after, MAX_FEEDS);
  let failures = 0;
  for (const accountId of accounts) {
    try {
      await announce(env.EVENT_FEED, accountId);
    } catch (error) {
      failures += 1;
      logFailure("schedule", { what: "announce events", account_id: accountId }, error);
    }
  }
  if (failures > 0) throw new Error(`${failures} feeds did not take the announcement`);
  const last = accounts.length < MAX_FEEDS ? undefined : accounts.at(-1);
  const next: Position =
    last === undefined ? { ...round, since: round.startedAt, after: "" } : { ...round, after: last };
  await saveSweepPosition(env.DB, SWEEP, JSON.stringify(next));
}
