import { sql } from "drizzle-orm";

import { accounts } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/statements.ts";

/** How long the result of a check is reused. Less for a failure, so that a start is not delayed. */
const GOOD_MS = 5_000;
const BAD_MS = 1_000;

/**
 * Whether the database answers and has its tables. One instance per isolate: it caches the last result, because the
 * endpoint is public and unlimited.
 */
export class DatabaseHealth {
  #isGood = false;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** One D1 read, or none. @param now Unix milliseconds */
  async isGood(database: D1Database, now: number): Promise<boolean> {
    const age = now - this.#checkedAt;
    // Negative if the clock was set back.
    if (age >= 0 && age < (this.#isGood ? GOOD_MS : BAD_MS)) return this.#isGood;
    const isGood = await readAccounts(database).then(
      () => true,
      () => false,
    );
    this.#isGood = isGood;
    this.#checkedAt = now;
    return isGood;
  }
}

/** @throws if the database does not answer or has no tables yet */
async function readAccounts(database: D1Database): Promise<void> {
  await read(database, select({ id: accounts.id }, sql`from ${accounts} limit 1`));
}
