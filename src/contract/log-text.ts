/** SGR: colours and weights. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /(\u001b\[[0-9;:]{0,40}m)/;
const COLOUR_END = "\u001b[0m";

/** Moves the cursor, ends a line, or turns the order of what comes after. A tab does none of these. */
const CONTROLS = /(?!\t)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A message as text on one line. Control characters are escaped as in JSON, so that nothing that a command has written
 * reads as another line; colours stay, and end with the line.
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
