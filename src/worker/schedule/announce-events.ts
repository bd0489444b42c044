import { AccountId } from "#contract/ids.ts";
import { findAccountsWithEvents } from "#worker/db/schedule/due-rows.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { callEach } from "#worker/schedule/in-time.ts";
import type { Part } from "#worker/schedule/part.ts";

/** The most feeds that one step wakes. */
const MAX_FEEDS = 25;
/** An event can be written some time after it was made. */
const LATE_MS = 10 * 60 * 1000;

/**
 * Announces the events since the last round to the feeds of their accounts, because the announcement after a request is
 * lost if the Worker dies. A feed that has handed them over does nothing. After a failure the next round announces the
 * same events again.
 */
export const announceEvents: Part = {
  name: "announce events",
  everyMs: 60 * 60 * 1000,
  // The page of accounts, and the position.
  cost: { statements: 2, calls: MAX_FEEDS },
  async step({ env, from, since }) {
    const after = from === null ? "" : AccountId.parse(from);
    const accounts = await findAccountsWithEvents(env.DB, since - LATE_MS, after, MAX_FEEDS);
    const failures = await callEach(
      accounts,
      (accountId) => ({ what: "announce events", account_id: accountId }),
      async (accountId) => {
        await announce(env.EVENT_FEED, accountId);
        return true;
      },
    );
    return { next: accounts.length < MAX_FEEDS ? null : (accounts.at(-1) ?? null), failures };
  },
};
