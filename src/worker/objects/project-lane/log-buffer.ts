import type { OutputLine } from "#contract/agent-events.ts";
import { DeploymentId, type ServerId } from "#contract/ids.ts";
import { MAX_LOG_BYTES } from "#contract/endpoints/logs/schemas.ts";
import type { Stretch } from "#worker/logs/log-index.ts";
import type { UnfinishedLines } from "#worker/logs/read-log.ts";
import {
  checkedLine,
  chunksOf,
  cutMark,
  type LogChunk,
  sumOf,
  withoutLines,
} from "#worker/objects/project-lane/log-chunk.ts";

/** The buffered bytes at which a part is written to R2. Less stays in the buffer, which is as durable. */
const PART_BYTES = 256 * 1024;

/** The most bytes in one read, and so in one part. The buffer holds more only while R2 cannot be reached. */
const WINDOW_BYTES = 1024 * 1024;

/** The limit for an agent's own lines. A correct agent writes a line per step and stays far below it. */
const MAX_BYTES = MAX_LOG_BYTES + 1024 * 1024;

/** What follows a line. `stored`: it is in R2. `ended`: the log ended with this line. `gone`: the buffer has no such log. */
export type LinesAfter =
  | { readonly kind: "lines"; readonly ndjson: string; readonly bytes: number }
  | { readonly kind: "none" | "stored" | "ended" | "gone" };

type Head = {
  next_line: number;
  bytes: number;
  buffered_bytes: number;
  cut: number;
  ended: number;
  upload_id: string | null;
};

const TABLES = ["log_heads", "log_chunks", "log_parts"];

/**
 * The lines that are not in R2 yet, in the object's own SQLite, so that acknowledged lines survive a restart. Numbers
 * the lines. All methods are synchronous.
 */
export class LogBuffer {
  readonly #sql: SqlStorage;
  readonly #onChange: (id: DeploymentId) => void;

  /** @param onChange called when a log has changed, possibly before that transaction ends */
  constructor(sql: SqlStorage, onChange: (id: DeploymentId) => void) {
    this.#sql = sql;
    this.#onChange = onChange;
    sql.exec(`CREATE TABLE IF NOT EXISTS log_heads (
      deployment_id TEXT PRIMARY KEY, next_line INTEGER NOT NULL, bytes INTEGER NOT NULL,
      buffered_bytes INTEGER NOT NULL, cut INTEGER NOT NULL, ended INTEGER NOT NULL, upload_id TEXT)`);
    sql.exec(`CREATE TABLE IF NOT EXISTS log_chunks (
      deployment_id TEXT NOT NULL, first_line INTEGER NOT NULL, bytes INTEGER NOT NULL, ndjson TEXT NOT NULL,
      PRIMARY KEY (deployment_id, first_line)) WITHOUT ROWID`);
    sql.exec(`CREATE TABLE IF NOT EXISTS log_parts (
      deployment_id TEXT NOT NULL, first_line INTEGER NOT NULL, bytes INTEGER NOT NULL,
      PRIMARY KEY (deployment_id, first_line)) WITHOUT ROWID`);
  }

  /**
   * Appends lines from an agent. After 50 MiB, the output of commands is left out, and one line says so. The agent's own
   * lines are appended up to a higher limit.
   * @param serverId the agent's server, if the project has several
   */
  append(id: DeploymentId, serverId: ServerId | null, lines: readonly OutputLine[], now: number): void {
    const head = this.#head(id) ?? NEW_HEAD;
    const from = serverId === null ? {} : { server_id: serverId };
    const checked = lines.map((line) => ({ ...checkedLine(line, now), ...from }));
    const kept = checked.filter(
      ({ stream }) => head.bytes < (stream === "system" ? MAX_BYTES : MAX_LOG_BYTES),
    );
    const isFirstCut = kept.length < lines.length && head.cut === 0;
    this.#add(id, isFirstCut ? [cutMark(lines, now), ...kept] : kept, {
      ...head,
      cut: isFirstCut ? 1 : head.cut,
    });
  }

  /**
   * Appends one of the lane's own lines, without a limit: the last one contains the verdict.
   * @param serverId the server that the line is about; null: none of several
   */
  appendOwn(id: DeploymentId, serverId: ServerId | null, line: OutputLine): void {
    const from = serverId === null ? {} : { server_id: serverId };
    this.#add(id, [{ ...line, ...from }], this.#head(id) ?? NEW_HEAD);
  }

  #add(id: DeploymentId, lines: readonly OutputLine[], head: Head): void {
    const chunks = chunksOf(lines, head.next_line);
    const bytes = sumOf(chunks);
    for (const { firstLine, bytes: size, ndjson } of chunks)
      this.#sql.exec("INSERT INTO log_chunks VALUES (?, ?, ?, ?)", id, firstLine, size, ndjson);
    this.#sql.exec(
      `INSERT INTO log_heads VALUES (?, ?, ?, ?, ?, 0, NULL)
       ON CONFLICT (deployment_id) DO UPDATE SET next_line = excluded.next_line, bytes = excluded.bytes,
         buffered_bytes = excluded.buffered_bytes, cut = excluded.cut`,
      id,
      head.next_line + lines.length,
      head.bytes + bytes,
      head.buffered_bytes + bytes,
      head.cut,
    );
    this.#onChange(id);
  }

  /** Ends a log: no more lines follow, and the complete object can be written. */
  end(id: DeploymentId): void {
    this.#sql.exec("UPDATE log_heads SET ended = 1 WHERE deployment_id = ?", id);
    this.#onChange(id);
  }

  /** The logs to write to R2: ended logs, and logs with enough bytes for a part. */
  due(): { id: DeploymentId; ended: boolean }[] {
    const rows = this.#sql
      .exec<{ deployment_id: string; ended: number }>(
        "SELECT deployment_id, ended FROM log_heads WHERE ended = 1 OR buffered_bytes >= ?",
        PART_BYTES,
      )
      .toArray();
    return rows.map((row) => ({ id: DeploymentId.parse(row.deployment_id), ended: row.ended === 1 }));
  }

  /** Whether the buffer has lines of the log that are not in its complete object yet. */
  holds(id: DeploymentId): boolean {
    return this.#head(id) !== null;
  }

  isPartDue(id: DeploymentId): boolean {
    return (this.#head(id)?.buffered_bytes ?? 0) >= PART_BYTES;
  }

  /** The lines from `fromLine` on, at most one read; null if the buffer does not have the log. */
  unfinished(id: DeploymentId, fromLine: number): UnfinishedLines | null {
    const head = this.#head(id);
    if (head === null) return null;
    const firstBuffered = this.#lineAfter(id, []) ?? head.next_line;
    const parts = fromLine >= firstBuffered ? [] : this.#partsFrom(id, fromLine);
    const buffered = this.#chunksFrom(id, fromLine, WINDOW_BYTES);
    const nextLine = this.#lineAfter(id, buffered) ?? head.next_line;
    return {
      parts: parts.map(({ firstLine }) => firstLine),
      buffered: buffered.map(({ firstLine, ndjson }) => ({ firstLine, ndjson })),
      nextLine,
      isAll: nextLine === head.next_line,
    };
  }

  /** What follows a line. @param maxBytes the limit; one chunk is returned even if it is larger */
  linesAfter(id: DeploymentId, line: number, maxBytes: number): LinesAfter {
    const head = this.#head(id);
    if (head === null) return { kind: "gone" };
    // Also for a line that does not exist yet: such a follower waits like the others.
    if (line >= head.next_line - 1) return { kind: head.ended === 1 ? "ended" : "none" };
    const chunks = this.#chunksFrom(id, line + 1, maxBytes);
    const [first] = chunks;
    if (first === undefined || first.firstLine > line + 1) return { kind: "stored" };
    const ndjson = chunks.map((chunk) => chunk.ndjson).join("");
    return {
      kind: "lines",
      ndjson: withoutLines(ndjson, line + 1 - first.firstLine),
      bytes: sumOf(chunks),
    };
  }

  /** The next part to write to R2: the oldest buffered chunks. Empty if there are none. */
  nextPart(id: DeploymentId): LogChunk[] {
    return this.#chunksFrom(id, 1, WINDOW_BYTES);
  }

  /** These chunks are in R2 now, as one part. */
  noteFlushed(id: DeploymentId, chunks: readonly LogChunk[]): void {
    const [first] = chunks;
    const last = chunks.at(-1);
    if (first === undefined || last === undefined) return;
    const bytes = sumOf(chunks);
    this.#sql.exec("INSERT OR REPLACE INTO log_parts VALUES (?, ?, ?)", id, first.firstLine, bytes);
    this.#sql.exec("DELETE FROM log_chunks WHERE deployment_id = ? AND first_line <= ?", id, last.firstLine);
    this.#sql.exec(
      "UPDATE log_heads SET buffered_bytes = max(0, buffered_bytes - ?) WHERE deployment_id = ?",
      bytes,
      id,
    );
  }

  /** The parts in R2, in order. */
  parts(id: DeploymentId): Stretch[] {
    return this.#partsFrom(id, 1);
  }

  /** Records the running upload of the complete log; null: none. */
  noteUpload(id: DeploymentId, uploadId: string | null): void {
    this.#sql.exec("UPDATE log_heads SET upload_id = ? WHERE deployment_id = ?", uploadId, id);
  }

  /** The uploads that have not ended, of one deployment or of all (null). */
  uploads(id: DeploymentId | null): { id: DeploymentId; uploadId: string }[] {
    const rows = this.#sql
      .exec<{ deployment_id: string; upload_id: string }>(
        "SELECT deployment_id, upload_id FROM log_heads WHERE upload_id IS NOT NULL AND deployment_id = coalesce(?, deployment_id)",
        id,
      )
      .toArray();
    return rows.map((row) => ({ id: DeploymentId.parse(row.deployment_id), uploadId: row.upload_id }));
  }

  /** Deletes the log from the buffer, after it was completed in R2 or removed. */
  forget(id: DeploymentId): void {
    for (const table of TABLES) this.#sql.exec(`DELETE FROM ${table} WHERE deployment_id = ?`, id);
    this.#onChange(id);
  }

  forgetAll(): void {
    const rows = this.#sql.exec<{ deployment_id: string }>("SELECT deployment_id FROM log_heads").toArray();
    for (const row of rows) this.forget(DeploymentId.parse(row.deployment_id));
  }

  #head(id: DeploymentId): Head | null {
    return this.#sql.exec<Head>("SELECT * FROM log_heads WHERE deployment_id = ?", id).toArray()[0] ?? null;
  }

  /** The first buffered line after these chunks; null if there is none. */
  #lineAfter(id: DeploymentId, chunks: readonly LogChunk[]): number | null {
    const [row] = this.#sql
      .exec<{ first: number | null }>(
        "SELECT min(first_line) AS first FROM log_chunks WHERE deployment_id = ? AND first_line > ?",
        id,
        chunks.at(-1)?.firstLine ?? 0,
      )
      .toArray();
    return row?.first ?? null;
  }

  /** The parts from the line on, including the part that contains it. */
  #partsFrom(id: DeploymentId, line: number): Stretch[] {
    return this.#sql
      .exec<{ first_line: number; bytes: number }>(
        `SELECT first_line, bytes FROM log_parts WHERE deployment_id = ?1 AND first_line >= coalesce(
           (SELECT max(first_line) FROM log_parts WHERE deployment_id = ?1 AND first_line <= ?2), 0)
         ORDER BY first_line`,
        id,
        line,
      )
      .toArray()
      .map((row) => ({ firstLine: row.first_line, bytes: row.bytes }));
  }

  /** The chunks from the line on, including the chunk that contains it, up to `maxBytes`, but at least one. */
  #chunksFrom(id: DeploymentId, line: number, maxBytes: number): LogChunk[] {
    const rows = this.#sql.exec<{ first_line: number; bytes: number; ndjson: string }>(
      `SELECT first_line, bytes, ndjson FROM log_chunks WHERE deployment_id = ?1 AND first_line >= coalesce(
         (SELECT max(first_line) FROM log_chunks WHERE deployment_id = ?1 AND first_line <= ?2), 0)
       ORDER BY first_line`,
      id,
      line,
    );
    const chunks: LogChunk[] = [];
    let bytes = 0;
    // Stops reading the cursor at the limit: the rest may be the whole log.
    for (const row of rows) {
      bytes += row.bytes;
      if (chunks.length > 0 && bytes > maxBytes) break;
      chunks.push({ firstLine: row.first_line, bytes: row.bytes, ndjson: row.ndjson });
    }
    return chunks;
  }
}

const NEW_HEAD: Head = { next_line: 1, bytes: 0, buffered_bytes: 0, cut: 0, ended: 0, upload_id: null };
