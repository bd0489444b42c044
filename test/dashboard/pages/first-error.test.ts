import { describe, expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { errorExcerpt, firstError } from "#dashboard/pages/deployment/first-error.ts";
import { LineTexts } from "#dashboard/text/line-texts.ts";

function logOf(...messages: readonly (readonly [LogLine["stream"], string, LogLine["stage"]?])[]) {
  const lines = messages.map(([stream, message, stage = "build"], at): LogLine => ({
    line: at + 1,
    time: "2026-11-20T09:14:02.310Z",
    stage,
    stream,
    message,
  }));
  return { lines, texts: new LineTexts(lines) };
}

describe("the first error of a log", () => {
  it("is the first line that mentions an error", () => {
    const log = logOf(
      ["stdout", "compiling"],
      ["stderr", "a warning"],
      ["stdout", "Error: no"],
      ["stdout", "error"],
    );
    expect(firstError(log, "build")).toBe(3);
  });

  it("is the first line on stderr if a failed deployment mentions no error", () => {
    const log = logOf(["stdout", "compiling"], ["stderr", "no such recipe"]);
    expect(firstError(log, "build")).toBe(2);
    expect(firstError(log, null)).toBeNull();
  });

  it("is not a line of Gantry's own, or a word that only contains error", () => {
    expect(
      firstError(logOf(["system", "the build failed"], ["stdout", "0 errors.ts, terrors"]), null),
    ).toBeNull();
  });

  it("is found when the log grows", () => {
    const log = logOf(["stdout", "compiling"]);
    expect(firstError(log, null)).toBeNull();
    const grown = logOf(["stdout", "compiling"], ["stderr", "npm ERR! no"]);
    expect(firstError(Object.assign(log, grown), null)).toBe(2);
  });

  it("is in the stage that failed", () => {
    const log = logOf(
      ["stderr", "Error: no tests", "install"],
      ["stdout", "building"],
      ["stderr", "src/a.ts(1,2): error TS2304: Cannot find name 'b'."],
    );
    expect(firstError(log, "build")).toBe(3);
    expect(firstError(log, null)).toBe(1);
    expect(firstError(log, "verify")).toBeNull();
  });

  it("is a message that only hints at an error, but only if the deployment failed", () => {
    const log = logOf(["stdout", "favicon not found"], ["stdout", "done"]);
    expect(firstError(log, null)).toBeNull();
    expect(firstError(log, "build")).toBe(1);
  });

  it("is the last line of a stage that failed without any message", () => {
    expect(firstError(logOf(["stdout", "one"], ["stdout", "two"], ["system", "failed"]), "build")).toBe(2);
  });
});

describe("the lines of an error", () => {
  it("are in its stage, and none of Gantry's own", () => {
    const log = logOf(
      ["stdout", "installed", "install"],
      ["system", "$ npm run build"],
      ["stdout", "building"],
      ["stderr", "Error: no"],
      ["stderr", "    at build.js:3:1"],
      ["system", "the build command ended with exit code 1"],
    );
    expect(errorExcerpt(log, 4)).toEqual({ first: 2, at: 3, end: 5 });
  });
});
