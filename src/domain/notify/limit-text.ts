import { withHiddenShown } from "#contract/hidden-text.ts";

/** SGR sequences, which colour the output of a command. */
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[0-9;:]*m/g;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * A text from outside, such as a commit's message, as one line of plain text: without control characters, and with
 * hidden characters shown as in `fix[U+202E]txt.exe`.
 */
export function plainLine(text: string): string {
  return withHiddenShown(text.toWellFormed().replace(COLOURS, "").replace(BREAKS, " ")).trim();
}

/** The first line of a text that is not empty, as `plainLine`. */
export function firstLine(text: string): string {
  return plainLine(text.split(/[\r\n\u2028\u2029]/).find((line) => plainLine(line) !== "") ?? "");
}

const MARK = "…";

type Fit = {
  /** How a character is written in the result. */
  readonly write?: (character: string) => string;
  /** How much of the limit a text uses; without it, its UTF-16 units. */
  readonly size?: (text: string) => number;
};

/**
 * Writes a text so that the result stays within a limit. A longer text is cut, and ends with `…`. Never cuts a
 * character, or its escaped form, in two.
 */
export function fitText(text: string, most: number, { write = same, size = units }: Fit = {}): string {
  const room = most - size(MARK);
  let used = 0;
  let whole = "";
  let cut: string | null = null;
  for (const character of text) {
    const written = write(character);
    const next = used + size(written);
    if (cut === null && next > room) cut = whole + MARK;
    if (next > most) return cut ?? "";
    whole += written;
    used = next;
  }
  return whole;
}

const same = (character: string) => character;
const units = (text: string) => text.length;
