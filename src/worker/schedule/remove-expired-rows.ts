import { EXPIRING_STATEMENTS, removeExpired } from "#worker/db/schedule/remove-expired.ts";
import type { Part } from "#worker/schedule/part.ts";

/** Deletes rows whose time has passed, some of each table in a step, until none is left. */
export const removeExpiredRows: Part = {
  name: "remove expired rows",
  everyMs: 60 * 60 * 1000,
  // One more statement stores the position: the kinds of rows that are left.
  cost: { statements: EXPIRING_STATEMENTS + 1, calls: 0 },
  async step({ env, clock, from }) {
    const left = await removeExpired(env.DB, clock.now(), from === null ? null : new Set(from.split(",")));
    return { next: left.length === 0 ? null : left.join(","), failures: 0 };
  },
};
