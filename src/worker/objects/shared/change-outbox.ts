import { StoredChange } from "#worker/db/changes/stored-change.ts";
import { storedAs } from "#contract/stored.ts";

const storedChanges = storedAs(StoredChange);

/** Changes that were read together. `last`: the number of the last one. */
export type PendingChanges = { readonly changes: readonly StoredChange[]; readonly last: number };

/**
 * The events and audit entries of a Durable Object that D1 does not have yet, or that the account's EventFeed was not
 * told of, in the object's own SQLite. All methods are synchronous.
 */
export class ChangeOutbox {
  readonly #sql: SqlStorage;
  #next: number;
  /** D1 has the changes up to this one. After a restart they are written once more, which changes nothing. */
  #written = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS changes (id INTEGER PRIMARY KEY, json TEXT NOT NULL)");
    const [row] = sql.exec<{ last: number | null }>("SELECT max(id) AS last FROM changes").toArray();
    this.#next = (row?.last ?? 0) + 1;
  }

  /** Call this in the transaction that saves the change. */
  add(change: StoredChange): void {
    this.#sql.exec("INSERT INTO changes (id, json) VALUES (?, ?)", this.#next, JSON.stringify(change));
    this.#next += 1;
  }

  /** The changes that D1 does not have yet, in order. @param limit the most of them; -1: all */
  unwritten(limit = -1): PendingChanges {
    const rows = this.#sql
      .exec<{ id: number; json: string }>(
        "SELECT id, json FROM changes WHERE id > ? ORDER BY id LIMIT ?",
        this.#written,
        limit,
      )
      .toArray();
    const changes = rows.map(({ json }) => storedChanges.parse(JSON.parse(json)));
    return { changes, last: rows.at(-1)?.id ?? this.#written };
  }

  noteWritten({ last }: PendingChanges): void {
    this.#written = last;
  }

  /**
   * Tells the EventFeed of the changes that D1 has, and then removes them. If it does not answer, the last one is kept:
   * one is enough to try again.
   * @throws as `tell`
   */
  async announce(tell: () => Promise<void>): Promise<void> {
    const last = this.#written;
    const [found] = this.#sql.exec("SELECT 1 FROM changes WHERE id <= ? LIMIT 1", last).toArray();
    if (found === undefined) return;
    try {
      await tell();
    } catch (error) {
      this.#sql.exec("DELETE FROM changes WHERE id < ?", last);
      throw error;
    }
    this.#sql.exec("DELETE FROM changes WHERE id <= ?", last);
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM changes LIMIT 1").toArray().length === 0;
  }
}
