import { checkDatabase } from "#worker/db/check-database.ts";
import type { Database } from "#worker/db/database.ts";

/** For how long a check counts. A failed one counts for less, so that a start does not wait for it. */
const GOOD_MS = 5_000;
const BAD_MS = 1_000;

/**
 * Whether the database answers and has its tables. One for each isolate: it remembers what the last check found, because
 * anybody may ask as often as they like.
 */
export class DatabaseHealth {
  #isGood = false;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** One D1 read, or none. @param now Unix milliseconds */
  async isGood(database: Database, now: number): Promise<boolean> {
    const age = now - this.#checkedAt;
    // A clock that was set back makes it negative.
    if (age >= 0 && age < (this.#isGood ? GOOD_MS : BAD_MS)) return this.#isGood;
    const isGood = await checkDatabase(database).then(
      () => true,
      () => false,
    );
    this.#isGood = isGood;
    this.#checkedAt = now;
    return isGood;
  }
}
