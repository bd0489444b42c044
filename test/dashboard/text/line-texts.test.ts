import { describe, expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { LineTexts } from "#dashboard/text/line-texts.ts";

type Line = Pick<LogLine, "stream" | "message">;

describe("the texts of a log's lines", () => {
  it("are plain and in lower case for the search, with what they mean", () => {
    const texts = new LineTexts([
      { stream: "stdout", message: "\u001b[32mCompiled\u001b[0m in 2 s" },
      { stream: "stderr", message: "npm WARN deprecated glob@7" },
      { stream: "stdout", message: "\u001b[31mTypeError: x is not a function\u001b[0m" },
    ]);
    expect(texts.at(0)).toEqual({ search: "compiled in 2 s", isWarning: false, errorRank: null });
    expect(texts.at(1)).toMatchObject({ isWarning: true, errorRank: null });
    expect(texts.at(2)).toEqual({
      search: "typeerror: x is not a function",
      isWarning: false,
      errorRank: 1,
    });
  });

  it("mean nothing in Gantry's own lines", () => {
    const texts = new LineTexts([{ stream: "system", message: "Error: the build failed" }]);
    expect(texts.at(0)).toEqual({ search: "error: the build failed", isWarning: false, errorRank: null });
  });

  it("are read as the log grows", () => {
    const lines: Line[] = [];
    const texts = new LineTexts(lines);
    expect(texts.at(0).search).toBe("");
    lines.push({ stream: "stdout", message: "First" });
    expect(texts.at(0).search).toBe("first");
  });
});
