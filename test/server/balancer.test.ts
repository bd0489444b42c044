import { afterEach, expect, it } from "vitest";

import { startLoad } from "../support/load/load.ts";
import { TestFleet } from "./support/test-fleet.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function startFleet(...args: Parameters<typeof TestFleet.start>): Promise<TestFleet> {
  const fleet = await TestFleet.start(...args);
  closing.push(() => fleet.close());
  return fleet;
}

it("leads visitors to all members", async () => {
  const fleet = await startFleet(2);
  const load = startLoad(fleet.target());
  await load.answeredBy("app-0");
  await load.answeredBy("app-1");
  const report = await load.stop();
  console.log(report, fleet.balancer.test.log, fleet.members[0]?.test.log);
  expect(report.failures).toEqual({});
});
