import { describe, expect, it } from "vitest";

import { styleAfter, piecesOf, plain, plainText } from "#dashboard/text/ansi.ts";

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
      ["y", "bg-blue"],
      ["z", ""],
    ]);
  });

  it("may have colors of the 256-color palette and RGB colors", () => {
    expect(piecesOf(`${ESC}[38;5;196mx`)[0]).toMatchObject({ color: "rgb(255 0 0)" });
    expect(piecesOf(`${ESC}[38;5;3mx`)[0]).toMatchObject({ classes: "fg-yellow", color: null });
    expect(piecesOf(`${ESC}[38;5;255mx`)[0]).toMatchObject({ color: "rgb(238 238 238)" });
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
    expect(styleAfter(`${ESC}[0mplain`, left)).toBe(plain);
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
