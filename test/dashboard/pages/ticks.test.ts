import fc from "fast-check";
import { expect, it } from "vitest";

import { ticksUpTo } from "#dashboard/pages/charts/ticks.ts";

it("are round values that reach the largest", () => {
  expect(ticksUpTo(15, 1)).toEqual([0, 5, 10, 15]);
  expect(ticksUpTo(1, 1)).toEqual([0, 1]);
  expect(ticksUpTo(0.3, 0.1).at(-1)).toBeCloseTo(0.3);
  expect(ticksUpTo(9.6, 0.1)).toEqual([0, 5, 10]);
});

it("are two to five for any value", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1e9, noNaN: true }), (most) => {
      const ticks = ticksUpTo(most, 0.0001);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
    }),
  );
});
