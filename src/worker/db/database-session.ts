import type { Database } from "#worker/db/database.ts";

/** A bookmark as D1 gives it: groups of hexadecimal digits. */
const BOOKMARK = /^[0-9a-f-]{1,200}$/;

/** Whether a text that a client has sent may be handed to D1 as a bookmark. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text);
}

/**
 * One request's view of D1, which may be read from the nearest replica: never older than the bookmark that the client
 * brings, and each statement sees what those before it saw. Source: Cloudflare's documentation, D1 read replication.
 */
export class DatabaseSession {
  readonly database: Database;
  readonly #session: D1DatabaseSession;
  #noted: string | null = null;

  /** @param from a client's bookmark; or `first-primary` for a request that changes something, which must not act on old rows */
  constructor(database: Database, from: string) {
    const session = database.withSession(from);
    this.#session = session;
    this.database = {
      prepare: (query) => session.prepare(query),
      batch: (statements) => session.batch(statements),
      exec: (query) => database.exec(query),
      dump: () => database.dump(),
      withSession: (constraint) => database.withSession(constraint),
    };
  }

  /** Notes what another part wrote for this request. */
  note(bookmark: string | null): void {
    this.#noted = later(this.#noted, bookmark);
  }

  /** From where on a later read sees all that this request saw and did; null if it asked the database nothing. */
  bookmark(): string | null {
    return later(this.#noted, this.#session.getBookmark());
  }
}

// Bookmarks of one database sort by time.
function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? other : one;
}
