import { painted } from "#contract/text-style.ts";

/** Characters that move the cursor, end a line or change the text direction. A tab is harmless. */
const CONTROLS = /(?!\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Formats a message as one line of text. Control characters are escaped as in JSON, so that the output of a command
 * cannot imitate other lines. Colours are kept unless they would hide text, and end with the line.
 */
export function oneLine(message: string): string {
  return painted(message, (text) => text.replace(CONTROLS, escaped));
}

/** Shows each control character of a name or message, such as `out\\r`. Line breaks of a message stay. */
export function withControlsShown(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, (character) => (character === "\t" ? "\\t" : escaped(character)));
}

function escaped(character: string): string {
  switch (character) {
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    default:
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  }
}

/** The index from which a terminal would show a line: a carriage return hides the text before it. */
export function startOfShown(line: string): number {
  let end = line.length;
  // No regular expression: it would take quadratic time on a long run of carriage returns.
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(0, end).lastIndexOf("\r") + 1;
}
