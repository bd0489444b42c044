import { MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";

const MARK_BYTES = 64;

/** What is kept of a line that is too long, in bytes of UTF-8: with the mark it is within the limit. */
export const KEPT_BYTES = MAX_LOG_LINE_BYTES - MARK_BYTES;

/** What stands at the end of a line that has been cut. */
export function cutMark(cutBytes: number): string {
  return `… [${cutBytes} bytes of this line are cut]`;
}

/** The line, or where it is over 16 KiB its beginning, which says by how much it was cut. */
export function cutLine(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_LOG_LINE_BYTES) return text;
  const head = headOf(text, KEPT_BYTES);
  return head + cutMark(bytes - Buffer.byteLength(head));
}

/** The longest beginning that is at most so many bytes of UTF-8, without half a character. */
export function headOf(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(maxBytes, 0)));
  return text.slice(0, read);
}
