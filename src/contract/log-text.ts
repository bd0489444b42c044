/** SGR sequences: colours and weights. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /(\u001b\[[0-9;:]{0,40}m)/;
const COLOUR_END = "\u001b[0m";

/** Characters that move the cursor, end a line or change the text direction. A tab is harmless. */
const CONTROLS = /(?!\t)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Formats a message as one line of text. Control characters are escaped as in JSON, so that the output of a command
 * cannot imitate other lines. Colours are kept, and reset at the end of the line.
 */
export function oneLine(message: string): string {
  const parts = message.split(COLOUR);
  const text = parts.map((part, at) => (at % 2 === 1 ? part : part.replace(CONTROLS, escaped))).join("");
  return parts.length === 1 ? text : `${text}${COLOUR_END}`;
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
