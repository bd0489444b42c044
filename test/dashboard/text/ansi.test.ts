import { readFileSync } from "node:fs";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { contrast, plainStyle } from "#contract/text-style.ts";
import { styleAfter, piecesOf, plainText } from "#dashboard/text/ansi.ts";
import { root } from "../../../scripts/shared/root.ts";
import { outputWithSgr } from "../../support/output-with-sgr.ts";

const ESC = "\u001b";
const shown = (line: string) => piecesOf(line).map(({ text, classes }) => [text, classes]);

describe("a line of output", () => {
  it("has its colors, and is plain after them", () => {
    expect(shown(`a ${ESC}[1;31mred${ESC}[0m b`)).toEqual([
      ["a ", ""],
      ["red", "bold fg-red"],
      [" b", ""],
    ]);
    expect(shown(`${ESC}[92;44mx${ESC}[39my${ESC}[49mz`)).toEqual([
      ["x", "fg-bright-green bg-blue"],
      ["y", "fg-bright-white bg-blue"],
      ["z", ""],
    ]);
  });

  it("may have colors of the 256-color palette and RGB colors", () => {
    expect(piecesOf(`${ESC}[38;5;196mx`)[0]).toMatchObject({ color: "rgb(255 0 0)" });
    expect(piecesOf(`${ESC}[38;5;3mx`)[0]).toMatchObject({ classes: "fg-yellow", color: null });
    expect(piecesOf(`${ESC}[38;5;244mx`)[0]).toMatchObject({ color: "rgb(128 128 128)" });
    expect(piecesOf(`${ESC}[48;5;16;38;5;255mx`)[0]).toMatchObject({ color: "rgb(238 238 238)" });
    expect(piecesOf(`${ESC}[48;2;1;2;300mx`)[0]).toMatchObject({ background: "rgb(1 2 255)" });
    expect(shown(`${ESC}[38;5;1;4mx`)).toEqual([["x", "underline fg-red"]]);
  });

  it("is shown without sequences that move the cursor, set the title or are incomplete", () => {
    for (const sequence of [
      `${ESC}[2K`,
      `${ESC}[10;20H`,
      `${ESC}]0;title\u0007`,
      `${ESC}(B`,
      "\u0000",
      "\u0007",
    ])
      expect(plainText(`a${sequence}b`)).toBe("ab");
    expect(plainText(`a${ESC}[`)).not.toContain(ESC);
    expect(
      piecesOf(`a${ESC}[3`)
        .map(({ text }) => text)
        .join(""),
    ).not.toContain(ESC);
  });

  it("stays one line: line breaks and text-reversing characters are escaped", () => {
    expect(plainText("a\nLive: v9")).toBe("a\\nLive: v9");
    expect(shown(`a\nb${ESC}[31m\u2028c\u202ed`)).toEqual([
      ["a\\nb", ""],
      ["\\u2028c\\u202ed", "fg-red"],
    ]);
    expect(plainText("a\tb")).toBe("a\tb");
  });

  it("starts with the style at the end of the previous line", () => {
    const left = styleAfter(`a ${ESC}[1;33myellow`);
    expect(piecesOf("still", left)).toEqual([
      { text: "still", classes: "bold fg-yellow", color: null, background: null },
    ]);
    expect(piecesOf(`still${ESC}[0m not`, left).map(({ classes }) => classes)).toEqual([
      "bold fg-yellow",
      "",
    ]);
    expect(styleAfter(`${ESC}[0mplain`, left)).toBe(plainStyle);
    expect(styleAfter("unchanged", left)).toBe(left);
    // Overwritten text is hidden, but its color stays on.
    expect(piecesOf(`${ESC}[32m50 %\r100 %`)).toMatchObject([{ text: "100 %", classes: "fg-green" }]);
  });

  it("is the text after the last carriage return", () => {
    expect(plainText("10 %\r50 %\r100 %")).toBe("100 %");
    expect(plainText("done\r")).toBe("done");
  });

  it("is never markup", () => {
    const hostile = `<img src=x onerror=alert(1)>${ESC}[31m</span><script>`;
    expect(plainText(hostile)).toBe("<img src=x onerror=alert(1)></span><script>");
    expect(shown(hostile)).toEqual([
      ["<img src=x onerror=alert(1)>", ""],
      ["</span><script>", "fg-red"],
    ]);
  });
});

/** The colors of the classes and tokens in a style sheet, as CSS. */
function colorsIn(path: string): Map<string, string> {
  const css = readFileSync(`${root}/src/dashboard/styles/${path}`, "utf8");
  const tokens = [...css.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name = "", value = ""]) => ({
    ...{ selector: `.token-${name}`, value },
  }));
  const rules = [...css.matchAll(/([^{}]+)\{\s*(?:color|background): ([^;]+);/g)];
  const all = [...tokens, ...rules.map(([, selector = "", value = ""]) => ({ selector, value }))];
  return new Map(
    all.flatMap(({ selector, value }) =>
      [...selector.matchAll(/\.([\w-]+)/g)].map(([, name = ""]) => [name, value]),
    ),
  );
}

const css = new Map([...colorsIn("tokens.css"), ...colorsIn("shared/ansi-text.css")]);

/** A color of CSS in one of the two themes. */
function rgbOf(color: string, theme: 0 | 1): readonly [number, number, number] {
  const token = /^var\(--([\w-]+)\)$/.exec(color)?.[1];
  if (token !== undefined) return rgbOf(css.get(`token-${token}`) ?? "", theme);
  const themed = /^light-dark\((.+), (.+)\)$/.exec(color);
  if (themed !== null) return rgbOf(themed[theme + 1] ?? "", theme);
  const parts = /^rgb\((\d+) (\d+) (\d+)\)$/.exec(color) ?? /^#(..)(..)(..)$/.exec(color);
  if (parts === null) throw new Error(`another form of a color: ${color}`);
  const [red = 0, green = 0, blue = 0] = parts
    .slice(1)
    .map((part) => parseInt(part, color.startsWith("#") ? 16 : 10));
  return [red, green, blue];
}

describe("any line of output", () => {
  it("shows all of its text, in both themes", () => {
    const colorOf = (classes: string, kind: string) => {
      const name = classes.split(" ").find((one) => one.startsWith(kind));
      return name === undefined ? null : (css.get(name) ?? name);
    };
    fc.assert(
      fc.property(outputWithSgr, ({ line, text }) => {
        const pieces = piecesOf(line);
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
        for (const { classes, color, background } of pieces)
          for (const theme of [0, 1] as const) {
            const front = color ?? colorOf(classes, "fg-") ?? "var(--text)";
            const back = background ?? colorOf(classes, "bg-") ?? "var(--ground)";
            const seen = contrast(rgbOf(front, theme), rgbOf(back, theme));
            expect(seen, `${front} on ${back}: ${JSON.stringify(line)}`).toBeGreaterThan(1.4);
          }
      }),
      // A colour that can just be seen on black, and not on the dark theme's ground.
      { numRuns: 500, examples: [[{ line: `${ESC}[38;2;38;47;22mone${ESC}[mone`, text: "oneone" }]] },
    );
  });
});
