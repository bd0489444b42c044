import { stripVTControlCharacters } from "node:util";

import { withHiddenShown, withoutHidden } from "#contract/hidden-text.ts";

/**
 * What others wrote may hold anything, also sequences that move the cursor or rename the window, and characters that
 * break a line or turn the order of what comes after.
 */
export function printable(text: string): string {
  return withoutHidden(withoutControl(text));
}

/** As `printable`, for what a thing is known by: two that differ in a hidden character must not look the same. */
export function printableName(text: string): string {
  return withHiddenShown(withoutControl(text));
}

function withoutControl(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\t/g, "  ")
    .replace(/\p{Cc}/gu, "");
}

/** SGR: colours and weights. What cannot hide text or outlive the line, whatever the numbers are. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[0-9;:]{0,40}m/g;

/** As `printable`, but with the colours that it has itself. */
export function printableInColour(text: string): string {
  const colours = text.match(COLOUR) ?? [];
  const plain = text.split(COLOUR).map(printable);
  if (colours.length === 0) return plain.join("");
  return `${plain.map((part, at) => `${part}${colours[at] ?? ""}`).join("")}\u001b[0m`;
}
