import type { OutputLine } from "#contract/agent-protocol.ts";
import { DeploymentId } from "#contract/ids.ts";
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
} from "#worker/objects/log/log-chunk.ts";

/** A part goes to R2 when so many bytes have gathered. What is less stays here, where it is as safe. */
const PART_BYTES = 256 * 1024;

/** What is read at once, and so the largest part. More than this gathers only while R2 cannot be reached. */
const WINDOW_BYTES = 1024 * 1024;

/** An agent that counts stays far below: a line of its own for each step. One that does not must find an end, too. */
const MAX_BYTES = MAX_LOG_BYTES + 1024 * 1024;

/** What there is after a line: `stored`, it is in R2; `over`, the log ended with this line; `gone`, nothing is known here. */
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
 * The lines that R2 does not hold yet, in the object's own SQLite, so that no line that was acknowledged is lost with
 * the isolate. All methods are synchronous; a line's number is given out here.
 */
export class LogBuffer {
  readonly #sql: SqlStorage;
  readonly #onChange: (id: DeploymentId) => void;

  /** @param onChange told of a log that has changed, maybe before the transaction ends in which it has */
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
   * Adds what an agent sent at the end. Past 50 MiB, commands' output is left out, and one line says so; the agent's own
   * few lines still come, but not without an end either.
   */
  append(id: DeploymentId, lines: readonly OutputLine[], now: number): void {
    const head = this.#head(id) ?? NEW_HEAD;
    const checked = lines.map((line) => checkedLine(line, now));
    const kept = checked.filter(
      ({ stream }) => head.bytes < (stream === "system" ? MAX_BYTES : MAX_LOG_BYTES),
    );
    const isFirstCut = kept.length < lines.length && head.cut === 0;
    this.#add(id, isFirstCut ? [cutMark(lines, now), ...kept] : kept, {
      ...head,
      cut: isFirstCut ? 1 : head.cut,
    });
  }

  /** Adds one of the lane's own lines, however long the log: the last of them tells the verdict. */
  appendOwn(id: DeploymentId, line: OutputLine): void {
    this.#add(id, [line], this.#head(id) ?? NEW_HEAD);
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

  /** No more lines will come: the whole log can be put together. */
  end(id: DeploymentId): void {
    this.#sql.exec("UPDATE log_heads SET ended = 1 WHERE deployment_id = ?", id);
    this.#onChange(id);
  }

  /** The logs with something for R2 to do: those that have ended, and those of which a part is due. */
  due(): { id: DeploymentId; ended: boolean }[] {
    const rows = this.#sql
      .exec<{ deployment_id: string; ended: number }>(
        "SELECT deployment_id, ended FROM log_heads WHERE ended = 1 OR buffered_bytes >= ?",
        PART_BYTES,
      )
      .toArray();
    return rows.map((row) => ({ id: DeploymentId.parse(row.deployment_id), ended: row.ended === 1 }));
  }

  /** Whether something of the log is still to go to R2. */
  holds(id: DeploymentId): boolean {
    return this.#head(id) !== null;
  }

  isPartDue(id: DeploymentId): boolean {
    return (this.#head(id)?.buffered_bytes ?? 0) >= PART_BYTES;
  }

  /** What is here from a line on, as much as is read at once; null where nothing of the log is. */
  unfinished(id: DeploymentId, fromLine: number): UnfinishedLines | null {
    const head = this.#head(id);
    if (head === null) return null;
    const firstBuffered = this.#firstBuffered(id) ?? head.next_line;
    const parts = fromLine >= firstBuffered ? [] : this.#partsFrom(id, fromLine);
    const buffered = this.#chunksFrom(id, fromLine, WINDOW_BYTES);
    const nextLine = this.#chunkAfter(id, buffered) ?? head.next_line;
    return {
      parts: parts.map(({ firstLine }) => firstLine),
      buffered: buffered.map(({ firstLine, ndjson }) => ({ firstLine, ndjson })),
      nextLine,
      isAll: nextLine === head.next_line,
    };
  }

  /** What comes after a line. @param maxBytes at most so many bytes, but at least as much as was added at once */
  linesAfter(id: DeploymentId, line: number, maxBytes: number): LinesAfter {
    const head = this.#head(id);
    if (head === null) return { kind: "gone" };
    // Also for a line that is not there yet: whoever names one waits for it like the others.
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

  /** The next part to go to R2, of what has gathered longest; none where nothing has. */
  nextPart(id: DeploymentId): LogChunk[] {
    return this.#chunksFrom(id, 1, WINDOW_BYTES);
  }

  /** R2 holds these chunks now, as the part that begins with the first of them. */
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

  /** The parts that R2 holds, in their order. */
  parts(id: DeploymentId): Stretch[] {
    return this.#partsFrom(id, 1);
  }

  /** Notes the upload of the whole log that is under way; null: none any more. */
  noteUpload(id: DeploymentId, uploadId: string | null): void {
    this.#sql.exec("UPDATE log_heads SET upload_id = ? WHERE deployment_id = ?", uploadId, id);
  }

  /** The uploads that were begun and not noted as over, of one deployment or of all. */
  uploads(id: DeploymentId | null): { id: DeploymentId; uploadId: string }[] {
    const rows = this.#sql
      .exec<{ deployment_id: string; upload_id: string }>(
        "SELECT deployment_id, upload_id FROM log_heads WHERE upload_id IS NOT NULL AND deployment_id = coalesce(?, deployment_id)",
        id,
      )
      .toArray();
    return rows.map((row) => ({ id: DeploymentId.parse(row.deployment_id), uploadId: row.upload_id }));
  }

  /** The whole log is in R2, or gone: nothing of it is kept here. */
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

  #firstBuffered(id: DeploymentId): number | null {
    const [row] = this.#sql
      .exec<{ first: number | null }>(
        "SELECT min(first_line) AS first FROM log_chunks WHERE deployment_id = ?",
        id,
      )
      .toArray();
    return row?.first ?? null;
  }

  #chunkAfter(id: DeploymentId, chunks: readonly LogChunk[]): number | null {
    const [row] = this.#sql
      .exec<{ first: number | null }>(
        "SELECT min(first_line) AS first FROM log_chunks WHERE deployment_id = ? AND first_line > ?",
        id,
        chunks.at(-1)?.firstLine ?? 0,
      )
      .toArray();
    return row?.first ?? null;
  }

  /** From the part that holds the line on. */
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

  /** From the chunk that holds the line on, up to so many bytes, but at least one. */
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
    // The cursor is left where enough has been read: what follows may be as much as the whole log.
    for (const row of rows) {
      bytes += row.bytes;
      if (chunks.length > 0 && bytes > maxBytes) break;
      chunks.push({ firstLine: row.first_line, bytes: row.bytes, ndjson: row.ndjson });
    }
    return chunks;
  }
}

const NEW_HEAD: Head = { next_line: 1, bytes: 0, buffered_bytes: 0, cut: 0, ended: 0, upload_id: null };
