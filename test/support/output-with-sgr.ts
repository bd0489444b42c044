import * as fc from "fast-check";

const byte = fc.integer({ min: 0, max: 260 });
const code = fc.oneof(
  fc.integer({ min: 0, max: 110 }).map(String),
  fc.constantFrom("8", "28", "30", "40", "37", "47", "97", "107", "7", "2", "39", "49", "", "1000"),
  fc.tuple(fc.constantFrom("38;5", "48;5", "38:5"), byte).map(([kind, one]) => `${kind};${one}`),
  fc
    .tuple(fc.constantFrom("38;2", "48;2"), byte, byte, byte)
    .map(([kind, ...parts]) => `${kind};${parts.join(";")}`),
);
const sequence = fc.array(code, { maxLength: 4 }).map((codes) => `\u001b[${codes.join(";").slice(0, 40)}m`);
const word = fc.constantFrom("one", " two", "3 %", "m");

/** A line of a command with any sequences of SGR, and its text without them. */
export const outputWithSgr = fc
  .array(fc.tuple(sequence, word), { minLength: 1, maxLength: 6 })
  .map((pieces) => ({
    line: pieces.map((piece) => piece.join("")).join(""),
    text: pieces.map(([, text]) => text).join(""),
  }));
