import { expect, it } from "vitest";

import { nearlyFullPercent, planLimits } from "#domain/plan-limits.ts";

const GB = 1_000_000_000;

it("warns about a database from 70 % of what the plan allows", () => {
  expect(nearlyFullPercent(7 * GB - 1, planLimits("paid"))).toBeNull();
  expect(nearlyFullPercent(7 * GB, planLimits("paid"))).toBe(70);
  expect(nearlyFullPercent(9.99 * GB, planLimits("paid"))).toBe(99);
  expect(nearlyFullPercent(0.349 * GB, planLimits("free"))).toBeNull();
  expect(nearlyFullPercent(0.35 * GB, planLimits("free"))).toBe(70);
});

it("counts an unknown plan as the free one, and never warns about a database without a limit", () => {
  expect(planLimits("enterprise")).toEqual(planLimits("free"));
  expect(nearlyFullPercent(100 * GB, planLimits(""))).toBeNull();
});
