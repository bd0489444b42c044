import { stripVTControlCharacters } from "node:util";

import { withHiddenShown, withoutHidden } from "#contract/hidden-text.ts";

/**
 * Makes untrusted text safe for a terminal. Removes sequences that move the cursor or rename the window, and characters
 * that break a line or reverse the order of the text after them.
 */
export function printable(text: string): string {
  return withoutHidden(withoutControl(text));
}

/** As `printable`, but shows hidden characters as code points: two different names must not look the same. */
export function printableName(text: string): string {
  return withHiddenShown(withoutControl(text));
}

function withoutControl(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\t/g, "  ")
    .replace(/\p{Cc}/gu, "");
}

/** SGR sequences (colours and weights). They cannot hide text, and `printableInColour` resets them at the end. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[0-9;:]{0,40}m/g;

/** As `printable`, but keeps the colours of the text. */
export function printableInColour(text: string): string {
  const colours = text.match(COLOUR) ?? [];
  const plain = text.split(COLOUR).map(printable);
  if (colours.length === 0) return plain.join("");
  return `${plain.map((part, at) => `${part}${colours[at] ?? ""}`).join("")}\u001b[0m`;
}
