/** The whole database, not limited to an account. Only files in this folder run statements on it. */
export type Database = D1Database;

/** The form of a D1 bookmark: groups of hexadecimal digits. */
const BOOKMARK = /^[0-9a-f-]{1,200}$/;

/** Whether a client's text has the form of a bookmark and can be passed to D1. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text);
}

/**
 * A D1 session for one request, which may read from the nearest replica. It is never older than the client's bookmark,
 * and each statement sees at least what earlier ones saw. Source: Cloudflare's documentation, D1 read replication.
 */
export class DatabaseSession {
  readonly database: D1Database;
  readonly #session: D1DatabaseSession;
  #noted: string | null = null;

  /** @param from a client's bookmark, or `first-primary` for a request that changes rows and must not decide on old ones */
  constructor(database: D1Database, from: string) {
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

  /** Adds the bookmark of a write that a lane made for this request. */
  note(bookmark: string | null): void {
    this.#noted = later(this.#noted, bookmark);
  }

  /** With this bookmark a later read sees everything that this request read and wrote. null if it made no statement. */
  bookmark(): string | null {
    return later(this.#noted, this.#session.getBookmark());
  }
}

// Bookmarks of one database sort by time.
function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? other : one;
}
