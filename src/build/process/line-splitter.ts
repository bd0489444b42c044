import { StringDecoder } from "node:string_decoder";

import type { Mask } from "#contract/mask.ts";
import { cutMark, headOf, KEPT_BYTES } from "#build/process/cut-line.ts";

/**
 * Splits a stream of bytes into lines. Invalid UTF-8 becomes U+FFFD. A line over 16 KiB is cut and ends with a mark
 * that says by how much; the part that is cut is never held in memory.
 */
export type LineSplitter = {
  push(chunk: Buffer): string[];
  /** Takes the unfinished line, which then counts as a line of its own; `null` when there is none. */
  removePartial(): string | null;
  /** The rest when the stream has ended. */
  end(): string | null;
};

/**
 * @param mask hides secrets in the kept part of a cut line, including a partial secret at its end. Complete lines are
 * not masked.
 */
export function createLineSplitter(mask: Mask): LineSplitter {
  const decoder = new StringDecoder("utf8");
  let kept = "";
  let keptBytes = 0;
  let cutBytes = 0;

  function add(text: string): void {
    const bytes = Buffer.byteLength(text);
    const fits = cutBytes === 0 && keptBytes + bytes <= KEPT_BYTES;
    const head = fits ? text : cutBytes > 0 ? "" : headOf(text, KEPT_BYTES - keptBytes);
    const headBytes = fits ? bytes : Buffer.byteLength(head);
    kept += head;
    keptBytes += headBytes;
    cutBytes += bytes - headBytes;
  }

  function removeKept(): string {
    const line = cutBytes === 0 ? kept : mask(kept, true) + cutMark(cutBytes);
    kept = "";
    keptBytes = 0;
    cutBytes = 0;
    return line;
  }

  return {
    push(chunk) {
      const lines: string[] = [];
      const text = decoder.write(chunk);
      let start = 0;
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
        add(text.slice(start, end));
        lines.push(withoutReturn(removeKept()));
        start = end + 1;
      }
      add(text.slice(start));
      return lines;
    },
    removePartial() {
      // A line that is being cut is not split, because its rest would look like a new line.
      if (keptBytes === 0 || cutBytes > 0) return null;
      const line = removeKept();
      if (!line.endsWith("\r")) return line;
      add("\r");
      return line === "\r" ? null : line.slice(0, -1);
    },
    end() {
      add(decoder.end());
      return keptBytes > 0 ? withoutReturn(removeKept()) : null;
    },
  };
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
