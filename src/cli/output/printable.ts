import { stripVTControlCharacters } from "node:util";

import { withHiddenShown, withoutHidden } from "#contract/hidden-text.ts";
import { painted } from "#contract/text-style.ts";

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

/** As `printable`, but keeps the colours of the text unless they would hide it. They end with the text. */
export function printableInColour(text: string): string {
  return painted(text, printable);
}
