import type { OutputLine } from "#contract/agent-protocol.ts";
import { DeploymentId } from "#contract/ids.ts";
import { type LogLine, MAX_LOG_BYTES } from "#contract/logs.ts";
import type { UnfinishedLines } from "#worker/logs/read-log.ts";

/** A part goes to R2 when it holds this many bytes, or is this old. */
const PART_BYTES = 256 * 1024;
const PART_AGE_MS = 5000;

export type LogPart = UnfinishedLines["buffered"][number];

type Head = {
  next_line: number;
  bytes: number;
  buffered_bytes: number;
  oldest_at: number | null;
  ended: number;
};

/**
 * The lines that R2 does not hold yet, in the object's own SQLite, so that no line that was acknowledged is lost with
 * the isolate. All methods are synchronous; a line's number is given out here.
 */
export class LogBuffer {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS log_heads (
      deployment_id TEXT PRIMARY KEY, next_line INTEGER NOT NULL, bytes INTEGER NOT NULL,
      buffered_bytes INTEGER NOT NULL, oldest_at INTEGER, ended INTEGER NOT NULL)`);
    sql.exec(`CREATE TABLE IF NOT EXISTS log_chunks (
      deployment_id TEXT NOT NULL, first_line INTEGER NOT NULL, ndjson TEXT NOT NULL,
      PRIMARY KEY (deployment_id, first_line)) WITHOUT ROWID`);
    sql.exec(`CREATE TABLE IF NOT EXISTS log_parts (
      deployment_id TEXT NOT NULL, first_line INTEGER NOT NULL, PRIMARY KEY (deployment_id, first_line)) WITHOUT ROWID`);
  }

  /**
   * Adds lines at the end. Past 50 MiB, commands' output is dropped, and one line says so; Gantry's own few lines
   * still come, because they tell the verdict.
   */
  append(id: DeploymentId, lines: readonly OutputLine[], now: number): void {
    const head = this.#head(id) ?? { next_line: 1, bytes: 0, buffered_bytes: 0, oldest_at: null, ended: 0 };
    const wasFull = head.bytes >= MAX_LOG_BYTES;
    const kept = wasFull ? lines.filter((line) => line.stream === "system") : lines;
    if (kept.length === 0) return;
    const numbered: LogLine[] = kept.map((line, index) => ({ line: head.next_line + index, ...line }));
    let ndjson = numbered.map(toNdjson).join("");
    let nextLine = head.next_line + numbered.length;
    if (!wasFull && head.bytes + bytesOf(ndjson) >= MAX_LOG_BYTES) {
      const message = `The log is cut here: it has reached ${MAX_LOG_BYTES / 1024 / 1024} MiB`;
      const last = numbered.at(-1);
      ndjson += toNdjson({
        line: nextLine,
        time: new Date(now).toISOString(),
        stream: "system",
        stage: last?.stage ?? "build",
        message,
      });
      nextLine += 1;
    }
    const bytes = bytesOf(ndjson);
    this.#sql.exec(
      "INSERT INTO log_chunks (deployment_id, first_line, ndjson) VALUES (?, ?, ?)",
      id,
      head.next_line,
      ndjson,
    );
    this.#sql.exec(
      `INSERT INTO log_heads (deployment_id, next_line, bytes, buffered_bytes, oldest_at, ended) VALUES (?, ?, ?, ?, ?, 0)
       ON CONFLICT (deployment_id) DO UPDATE SET next_line = excluded.next_line, bytes = excluded.bytes,
         buffered_bytes = excluded.buffered_bytes, oldest_at = excluded.oldest_at`,
      id,
      nextLine,
      head.bytes + bytes,
      head.buffered_bytes + bytes,
      head.oldest_at ?? now,
    );
  }

  /** No more lines will come: the whole log can be put together. */
  end(id: DeploymentId): void {
    this.#sql.exec("UPDATE log_heads SET ended = 1 WHERE deployment_id = ?", id);
  }

  /** The logs with something for R2 to do at `now`: those that have ended, and those with a part that is due. */
  due(now: number): { id: DeploymentId; ended: boolean }[] {
    const rows = this.#sql
      .exec<{ deployment_id: string; ended: number }>(
        "SELECT deployment_id, ended FROM log_heads WHERE ended = 1 OR buffered_bytes >= ? OR oldest_at <= ?",
        PART_BYTES,
        now - PART_AGE_MS,
      )
      .toArray();
    return rows.map((row) => ({ id: DeploymentId.parse(row.deployment_id), ended: row.ended === 1 }));
  }

  /** When the next part is due, in Unix milliseconds; null with nothing buffered. */
  nextDueAt(): number | null {
    const [row] = this.#sql
      .exec<{ due_at: number | null }>(
        "SELECT min(CASE WHEN ended = 1 OR buffered_bytes >= ? THEN 0 ELSE oldest_at + ? END) AS due_at FROM log_heads WHERE ended = 1 OR oldest_at IS NOT NULL",
        PART_BYTES,
        PART_AGE_MS,
      )
      .toArray();
    return row?.due_at ?? null;
  }

  read(id: DeploymentId): UnfinishedLines {
    const parts = this.#sql
      .exec<{ first_line: number }>(
        "SELECT first_line FROM log_parts WHERE deployment_id = ? ORDER BY first_line",
        id,
      )
      .toArray();
    const chunks = this.#sql
      .exec<{ first_line: number; ndjson: string }>(
        "SELECT first_line, ndjson FROM log_chunks WHERE deployment_id = ? ORDER BY first_line",
        id,
      )
      .toArray();
    return {
      parts: parts.map((part) => part.first_line),
      buffered: chunks.map((chunk) => ({ firstLine: chunk.first_line, ndjson: chunk.ndjson })),
    };
  }

  /** R2 holds these chunks now, as the part that begins with the first of them. */
  noteFlushed(id: DeploymentId, chunks: readonly LogPart[], now: number): void {
    const [first] = chunks;
    const last = chunks.at(-1);
    if (first === undefined || last === undefined) return;
    this.#sql.exec(
      "INSERT OR IGNORE INTO log_parts (deployment_id, first_line) VALUES (?, ?)",
      id,
      first.firstLine,
    );
    this.#sql.exec(
      "DELETE FROM log_chunks WHERE deployment_id = ? AND first_line BETWEEN ? AND ?",
      id,
      first.firstLine,
      last.firstLine,
    );
    const flushed = chunks.reduce((sum, chunk) => sum + bytesOf(chunk.ndjson), 0);
    this.#sql.exec(
      `UPDATE log_heads SET buffered_bytes = max(0, buffered_bytes - ?),
         oldest_at = CASE WHEN buffered_bytes - ? <= 0 THEN NULL ELSE ? END WHERE deployment_id = ?`,
      flushed,
      flushed,
      now,
      id,
    );
  }

  /** The whole log is in R2, or gone: nothing of it is kept here. */
  forget(id: DeploymentId): void {
    for (const table of ["log_heads", "log_chunks", "log_parts"]) {
      this.#sql.exec(`DELETE FROM ${table} WHERE deployment_id = ?`, id);
    }
  }

  forgetAll(): void {
    for (const table of ["log_heads", "log_chunks", "log_parts"]) this.#sql.exec(`DELETE FROM ${table}`);
  }

  #head(id: DeploymentId): Head | null {
    return this.#sql.exec<Head>("SELECT * FROM log_heads WHERE deployment_id = ?", id).toArray()[0] ?? null;
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function toNdjson(line: LogLine): string {
  return `${JSON.stringify(line)}\n`;
}
