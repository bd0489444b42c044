import { MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";
import { counted } from "#contract/lib/counted.ts";

const MARK_BYTES = 64;

/** How much of a line over the limit is kept, in bytes of UTF-8. With the mark appended, it is within the limit. */
export const KEPT_BYTES = MAX_LOG_LINE_BYTES - MARK_BYTES;

/** The mark at the end of a line that was cut. */
export function cutMark(cutBytes: number): string {
  return `… [${counted(cutBytes, "byte")} of this line ${cutBytes === 1 ? "is" : "are"} cut]`;
}

/** Cuts a line that is longer than 16 KiB, and appends how many bytes were cut. */
export function cutLine(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_LOG_LINE_BYTES) return text;
  const head = headOf(text, KEPT_BYTES);
  return head + cutMark(bytes - Buffer.byteLength(head));
}

/** The longest prefix of at most `maxBytes` bytes of UTF-8, without half a character. */
export function headOf(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(maxBytes, 0)));
  return text.slice(0, read);
}
