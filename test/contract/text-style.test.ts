import { stripVTControlCharacters } from "node:util";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { applySgr, contrast, painted, plainStyle, type TextStyle } from "#contract/text-style.ts";
import { outputWithSgr } from "../support/output-with-sgr.ts";

const same = (text: string) => text;

/** What a terminal shows: each text with its style. It fails at a sequence that is not on the list of harmless ones. */
function shownByTerminal(output: string): { text: string; style: Readonly<TextStyle> }[] {
  let style: Readonly<TextStyle> = plainStyle;
  // oxlint-disable-next-line no-control-regex
  return output.split(/\u001b\[([^m]*)m/).flatMap((part, at) => {
    if (at % 2 === 0) return part === "" ? [] : [{ text: part, style }];
    expect(part).toMatch(
      /^(?:(?:[0-47]|[34][0-7]|9[0-7]|10[0-7]|[34]8;(?:5;\d{1,3}|2(?:;\d{1,3}){3}))(?:;|$))+$/,
    );
    style = applySgr(style, part);
    return [];
  });
}

/** Whether a text of this style can be seen in a dark terminal and in a light terminal. */
function canBeSeen({ color, background }: Readonly<TextStyle>): boolean {
  if (background !== null) return color !== null && contrast(color.rgb, background.rgb) >= 3;
  if (color === null) return true;
  if (color.name !== null) return !["black", "white", "bright-white"].includes(color.name);
  return contrast(color.rgb, [0, 0, 0]) >= 1.5 && contrast(color.rgb, [255, 255, 255]) >= 1.5;
}

describe("output in a terminal", () => {
  it("shows all of its text, whatever its sequences of SGR", () => {
    fc.assert(
      fc.property(outputWithSgr, ({ line, text }) => {
        const output = painted(line, same);
        expect(stripVTControlCharacters(output)).toBe(text);
        for (const { style } of shownByTerminal(output)) expect(canBeSeen(style)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("has no colour after it", () => {
    fc.assert(
      fc.property(outputWithSgr, ({ line }) => {
        const after = shownByTerminal(`${painted(line, same)}end`).at(-1);
        expect(after).toEqual({ text: expect.stringMatching(/end$/), style: plainStyle });
      }),
    );
  });

  it.each([
    ["conceal", "8", ""],
    ["blinking and another font", "5;6;11;51", ""],
    ["black on black", "30;40", "97;40"],
    ["black, perhaps on black", "30", ""],
    ["white, perhaps on white", "97", ""],
    ["a white that the palette has", "38;5;231", ""],
    ["a grey on nearly the same grey", "38;2;90;90;90;48;2;100;100;100", "38;2;255;255;255;48;2;100;100;100"],
    ["a background without a colour", "107", "30;107"],
    ["a badge of vitest", "1;7;32", "1;7;32"],
    ["a badge of jest", "7;1;31", "1;7;31"],
    ["a badge of chalk", "30;42", "30;42"],
    ["dim and underlined", "2;4", "2;4"],
    ["a colour of the palette", "38;5;208", "38;5;208"],
    ["a colour with colons", "38:5:208", "38;5;208"],
  ])("%s (%s) is shown as %j", (_, given, shown) => {
    const output = painted(`\u001b[${given}mtext`, same);
    expect(output).toBe(shown === "" ? "text" : `\u001b[${shown}mtext\u001b[0m`);
  });
});
