import { AttemptOutcome, type OutletMemory } from "#domain/outlet/outgoing-request.ts";

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** What the deliveries of a webhook need to know of earlier ones, in the object's own SQLite. All methods are synchronous. */
export class OutletMemoryStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  createTables(): void {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS outcomes (subject TEXT PRIMARY KEY, outcome TEXT NOT NULL, sequence INTEGER NOT NULL)",
    );
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS memory (key TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL)",
    );
  }

  /** The last outcome of a project or server before the event with this number. */
  outcomeBefore(subject: string, sequence: number): AttemptOutcome | null {
    const [row] = this.#sql
      .exec<{ outcome: string }>(
        "SELECT outcome FROM outcomes WHERE subject = ? AND sequence < ?",
        subject,
        sequence,
      )
      .toArray();
    return row === undefined ? null : AttemptOutcome.parse(row.outcome);
  }

  /** Events may come in another order, and more than once. */
  noteOutcome(subject: string, outcome: AttemptOutcome, sequence: number): void {
    this.#sql.exec(
      `INSERT INTO outcomes (subject, outcome, sequence) VALUES (?, ?, ?)
       ON CONFLICT (subject) DO UPDATE SET outcome = excluded.outcome, sequence = excluded.sequence WHERE sequence < excluded.sequence`,
      subject,
      outcome,
      sequence,
    );
  }

  all(): OutletMemory {
    const rows = this.#sql.exec<{ key: string; value: string }>("SELECT key, value FROM memory").toArray();
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  }

  keep(entries: OutletMemory, now: number): void {
    for (const [key, value] of Object.entries(entries))
      this.#sql.exec(
        "INSERT INTO memory (key, value, at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, at = excluded.at",
        key,
        value,
        now,
      );
  }

  trim(now: number): void {
    this.#sql.exec("DELETE FROM memory WHERE at < ?", now - KEPT_MS);
  }
}
