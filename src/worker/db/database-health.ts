import type { ReadingFrom } from "#contract/endpoints/accounts/schemas.ts";

/** How long the result of a check is reused. Less for a failure, so that a start is not delayed. */
const GOOD_MS = 5_000;
const BAD_MS = 1_000;

/**
 * Whether the database answers and has its tables. One instance per isolate: it caches the last results, because the
 * endpoint is public and unlimited.
 */
export class DatabaseHealth {
  readonly #primary = new LastCheck();
  readonly #nearest = new LastCheck();

  /** One D1 read, or none. @param now Unix milliseconds */
  async isGood(database: D1Database, now: number): Promise<boolean> {
    return (await this.#primary.read(database, now)) !== null;
  }

  /** The copy that serves reads from here; null: it does not answer. One D1 read, or none. @param now Unix milliseconds */
  async reading(database: D1Database, now: number): Promise<ReadingFrom | null> {
    return await this.#nearest.read(database.withSession("first-unconstrained"), now);
  }
}

class LastCheck {
  #found: ReadingFrom | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;

  async read(database: Pick<D1Database, "prepare">, now: number): Promise<ReadingFrom | null> {
    const age = now - this.#checkedAt;
    // Negative if the clock was set back.
    if (age >= 0 && age < (this.#found === null ? BAD_MS : GOOD_MS)) return this.#found;
    const found = await ask(database);
    this.#found = found;
    this.#checkedAt = now;
    return found;
  }
}

/** null: it does not answer, or has no tables. */
async function ask(database: Pick<D1Database, "prepare">): Promise<ReadingFrom | null> {
  try {
    const { meta } = await database.prepare("select id from accounts limit 1").run();
    return { region: meta.served_by_region ?? null, primary: meta.served_by_primary ?? null };
  } catch {
    return null;
  }
}
