import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import { factLines } from "#cli/output/facts.ts";
import { createStyle } from "#cli/output/style.ts";

const style = createStyle(true);
const facts = [
  ["url", "http://shop.test/\r\n✓ v3 is live"],
  ["signal", "SIG\u001b[2K\u001b[1A"],
  ["title", "\u001b]0;Live\u0007"],
  ["status", style.green("live")],
  ["exit code", null],
] as const;

describe("facts with untrusted text", () => {
  it("stay one line each in plain text, without cursor sequences", () => {
    const lines = factLines({ form: "plain", style: createStyle(false) }, facts);
    expect(lines).toEqual([
      "url\thttp://shop.test/✓ v3 is live",
      "signal\tSIG",
      expect.stringMatching(/^title\t[^\p{Cc}]*$/u),
      "status\tlive",
    ]);
  });

  it("stay one line each at a terminal, with our own colours", () => {
    const lines = factLines({ form: "terminal", style }, facts);
    expect(lines[0]).toBe(`${style.dim("url   ")}  http://shop.test/✓ v3 is live`);
    expect(lines[1]).toBe(`${style.dim("signal")}  SIG`);
    expect(lines[3]).toContain(style.green("live"));
    for (const line of lines) expect(stripVTControlCharacters(line)).not.toMatch(/\p{Cc}/u);
  });
});
