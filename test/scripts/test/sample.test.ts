import { describe, expect, it } from "vitest";

import { readSample } from "../../../scripts/test/sample.ts";

const DAY_MS = 86_400_000;
const NOW = 20_785.5 * DAY_MS;

describe("the sample of a run", () => {
  it("changes every day", () => {
    expect(readSample(undefined, NOW)).toEqual({ seed: 20_785, isWhole: false });
    expect(readSample("", NOW + DAY_MS)).toEqual({ seed: 20_786, isWhole: false });
  });

  it("is repeated by its number, or is everything", () => {
    expect(readSample("7", NOW)).toEqual({ seed: 7, isWhole: false });
    expect(readSample("whole", NOW).isWhole).toBe(true);
  });

  it.each(["-1", "all", "1.5"])("is not %s", (setting) => {
    expect(() => readSample(setting, NOW)).toThrow(`GANTRY_SAMPLE is "${setting}"; it is whole or a number`);
  });
});
