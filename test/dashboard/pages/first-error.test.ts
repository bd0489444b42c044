import { describe, expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { firstError } from "#dashboard/pages/deployment/first-error.ts";

function logOf(...messages: readonly (readonly [LogLine["stream"], string])[]) {
  const lines = messages.map(([stream, message], at): LogLine => ({
    line: at + 1,
    time: "2026-11-20T09:14:02.310Z",
    stage: "build",
    stream,
    message,
  }));
  return { lines, searchText: (index: number) => lines[index]?.message.toLowerCase() ?? "" };
}

describe("the first error of a log", () => {
  it("is the first line that mentions an error", () => {
    const log = logOf(
      ["stdout", "compiling"],
      ["stderr", "a warning"],
      ["stdout", "Error: no"],
      ["stdout", "error"],
    );
    expect(firstError(log, true)).toBe(3);
  });

  it("is the first line on stderr if a failed deployment mentions no error", () => {
    const log = logOf(["stdout", "compiling"], ["stderr", "no such recipe"]);
    expect(firstError(log, true)).toBe(2);
    expect(firstError(log, false)).toBeNull();
  });

  it("is not a line of Gantry's own, or a word that only contains error", () => {
    expect(
      firstError(logOf(["system", "the build failed"], ["stdout", "0 errors.ts, terrors"]), false),
    ).toBeNull();
  });

  it("is found when the log grows", () => {
    const log = logOf(["stdout", "compiling"]);
    expect(firstError(log, false)).toBeNull();
    const grown = logOf(["stdout", "compiling"], ["stderr", "npm ERR! no"]);
    expect(firstError(Object.assign(log, grown), false)).toBe(2);
  });
});
