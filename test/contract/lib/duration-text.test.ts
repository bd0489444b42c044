import { expect, it } from "vitest";

import { durationText } from "#contract/lib/duration-text.ts";

it.each([
  [0, "0 ms"],
  [0.053, "53 ms"],
  [0.0994, "99 ms"],
  [0.0996, "0.1 s"],
  [9.94, "9.9 s"],
  [9.96, "10 s"],
  [59.6, "1 min 0 s"],
  [200, "3 min 20 s"],
  [7500, "2 h 5 min"],
])("a duration of %d seconds is shown as %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
