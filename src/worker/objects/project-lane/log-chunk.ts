import type { OutputLine } from "#contract/agent-events.ts";
import {
  lineTime,
  type LogLine,
  MAX_LOG_BYTES,
  MAX_LOG_LINE_BYTES,
} from "#contract/endpoints/logs/schemas.ts";
import type { Stretch } from "#worker/logs/log-index.ts";

/** The most bytes in a row. The platform allows 2 MB. Source: Cloudflare's documentation, "Limits of Durable Objects". */
const ROW_BYTES = 256 * 1024;

/** Some lines as NDJSON, in one row of the lane's buffer. */
export type LogChunk = Stretch & { readonly ndjson: string };

/** The line that marks where a log is cut. @param lines the lines that are left out */
export function cutMark(lines: readonly OutputLine[], now: number): OutputLine {
  return {
    time: new Date(now).toISOString(),
    stream: "system",
    stage: lines[0]?.stage ?? "build",
    message: `The log is cut here: the output of commands after ${MAX_LOG_BYTES / 1024 / 1024} MiB is left out`,
  };
}

/** Limits a line from an agent: its time is near `receivedAt`, and its message has at most 16 KiB. */
export function checkedLine(line: OutputLine, receivedAt: number): OutputLine {
  return { ...line, time: lineTime(line.time, receivedAt), message: cutMessage(line.message) };
}

/** A UTF-16 unit takes at most 3 bytes in UTF-8, so short messages need no encoding to be measured. */
function cutMessage(message: string): string {
  if (message.length * 3 <= MAX_LOG_LINE_BYTES) return message;
  const { read } = new TextEncoder().encodeInto(message, new Uint8Array(MAX_LOG_LINE_BYTES));
  return message.slice(0, read);
}

/** Numbers the lines and groups them into rows of limited size. */
export function chunksOf(lines: readonly OutputLine[], firstLine: number): LogChunk[] {
  const chunks: LogChunk[] = [];
  let current = { firstLine, bytes: 0, ndjson: "" };
  for (const [index, line] of lines.entries()) {
    const json = `${JSON.stringify({ line: firstLine + index, ...line } satisfies LogLine)}\n`;
    const bytes = new TextEncoder().encode(json).length;
    if (current.bytes > 0 && current.bytes + bytes > ROW_BYTES) {
      chunks.push(current);
      current = { firstLine: firstLine + index, bytes: 0, ndjson: "" };
    }
    current.bytes += bytes;
    current.ndjson += json;
  }
  return current.bytes === 0 ? chunks : [...chunks, current];
}

/** The sum of the bytes. */
export function sumOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** NDJSON without its first lines. */
export function withoutLines(ndjson: string, count: number): string {
  let at = 0;
  for (let line = 0; line < count; line += 1) at = ndjson.indexOf("\n", at) + 1;
  return ndjson.slice(at);
}
