import { stripVTControlCharacters } from "node:util";

/** Breaks a line, or turns the order of what comes after: then a name reads as another, or a line as two. */
const TURNS = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** What others wrote may hold anything, also sequences that move the cursor or rename the window. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\t/g, "  ")
    .replace(/\p{Cc}/gu, "")
    .replace(TURNS, "");
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
