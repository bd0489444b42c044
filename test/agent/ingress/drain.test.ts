import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { forgetDrain } from "#agent/ingress/drain.ts";
import { localSlotsFolder, serverSlots } from "#agent/ingress/slots.ts";

import { AgentWorld } from "../support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

const has = (name: keyof typeof serverSlots) =>
  existsSync(join(localSlotsFolder(world.home), serverSlots[name]));
const set = async (revision: number, since: number | null) => {
  const request_id = `drain-${revision}-${since}`;
  world.control.send({ type: "set_drain", request_id, drain: { revision, since } });
  return await world.control.waitFor("the answer", () =>
    world.control.messages.find((one) => "request_id" in one && one.request_id === request_id),
  );
};

it("a server without an ingress says that load balancers do not see that it is drained", async () => {
  await world.startAgent();
  const problem = "The server has no Gantry ingress. Load balancers have no ready URL to ask.";
  expect(await set(1, 5)).toMatchObject({ type: "drain_set", problem });
  expect(await set(2, null)).toMatchObject({ problem: null });
});

it("a drained server stays so after a restart that empties the slots, and an older change does not end it", async () => {
  const agent = await world.startAgent();
  await set(5, 1);
  await set(4, null);
  expect(has("draining")).toBe(true);
  await agent.stop();
  rmSync(localSlotsFolder(world.home), { recursive: true });
  const next = await world.startAgent();
  expect(has("draining")).toBe(true);
  await expect.poll(() => has("started")).toBe(true);
  await set(6, null);
  expect(has("draining")).toBe(false);
  await next.stop();
  await world.startAgent();
  expect(has("draining")).toBe(false);
});

it("a server that is enrolled again does not keep what another server was told", async () => {
  const agent = await world.startAgent();
  await set(9, 1);
  await agent.stop();
  await forgetDrain(world.home);
  await world.startAgent();
  expect(has("draining")).toBe(false);
  await set(2, 1);
  expect(has("draining")).toBe(true);
});
