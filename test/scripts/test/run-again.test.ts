import { describe, expect, it } from "vitest";

import { afterSecondRun, filesToRepeat } from "../../../scripts/test/run-again.ts";

const failure = (file: string, test: string) => ({ file, test });
const first = { passed: 10, failures: [failure("a", "one"), failure("a", "two"), failure("b", "three")] };

describe("a second run of failed files", () => {
  it("repeats each file once", () => {
    expect(filesToRepeat(first)).toEqual(["a", "b"]);
  });

  it("does not happen when many files failed", () => {
    const failures = Array.from({ length: 11 }, (_, at) => failure(`file ${at}`, "fails"));
    expect(filesToRepeat({ passed: 0, failures })).toEqual([]);
  });

  it("names the tests that passed, and counts the others as failed", () => {
    const again = { passed: 5, failures: [failure("b", "three")] };
    expect(afterSecondRun(first, again)).toEqual({ passed: 12, failed: 1, flaky: ["a: one", "a: two"] });
  });

  it("counts a test that failed only in the second run", () => {
    const again = { passed: 5, failures: [failure("b", "four")] };
    expect(afterSecondRun(first, again)).toMatchObject({ passed: 12, failed: 1 });
  });

  it("counts the failures of the first run if it did not end", () => {
    expect(afterSecondRun(first, null)).toEqual({ passed: 10, failed: 3, flaky: [] });
  });
});
