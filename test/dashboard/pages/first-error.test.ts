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
  return { lines, searched: (index: number) => lines[index]?.message.toLowerCase() ?? "" };
}

describe("the first error of a log", () => {
  it("is the first line that speaks of one", () => {
    const log = logOf(
      ["stdout", "compiling"],
      ["stderr", "a warning"],
      ["stdout", "Error: no"],
      ["stdout", "error"],
    );
    expect(firstError(log, true)).toBe(3);
  });

  it("is, of a failed deployment that speaks of none, the first line on stderr", () => {
    const log = logOf(["stdout", "compiling"], ["stderr", "no such recipe"]);
    expect(firstError(log, true)).toBe(2);
    expect(firstError(log, false)).toBeNull();
  });

  it("is no word of Gantry's own, and no word that only begins so", () => {
    expect(
      firstError(logOf(["system", "the build failed"], ["stdout", "0 errors.ts, terrors"]), false),
    ).toBeNull();
  });

  it("is found as the log grows", () => {
    const log = logOf(["stdout", "compiling"]);
    expect(firstError(log, false)).toBeNull();
    const grown = logOf(["stdout", "compiling"], ["stderr", "npm ERR! no"]);
    expect(firstError(Object.assign(log, grown), false)).toBe(2);
  });
});
