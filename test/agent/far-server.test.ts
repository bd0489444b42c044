import { afterEach, beforeEach, expect, it } from "vitest";

import { type FarServer, startFarServer, twoAddresses } from "../support/far-server.ts";
import { bundleAgent } from "./support/agent-bundle.ts";
import { spawnAgent } from "./support/agent-process.ts";
import { World } from "./support/harness.ts";

const bundle = bundleAgent();
let world: World;
let far: FarServer;
beforeEach(async () => {
  world = await World.create();
  far = await startFarServer(world.folder, Number(new URL(world.control.url).port));
});
afterEach(async () => {
  far.close();
  await world.close();
});

it("an agent enrols at a control plane that is more than 250 ms away and has more than one address", async () => {
  const { enrolmentToken } = world.control;
  const args = ["enroll", "--url", far.url, "--token", enrolmentToken, "--home", world.home];
  const enrolment = spawnAgent(args, { bundle, preload: twoAddresses });
  await far.answer();
  expect([await enrolment.exited, enrolment.output()]).toEqual([0, expect.stringContaining("enrolled as")]);
  expect(far.secondTries).toBe(0);
});
