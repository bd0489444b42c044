import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";
import * as z from "zod";

import { World } from "../support/harness.ts";
import { notedInstances, runningInstances, smallApp, smallWeb } from "../support/small-app.ts";

const Lock = z.object({ pid: z.int() });
const State = z.looseObject({ instances: z.array(z.unknown()) });

it("an instance that the supervisor and the agent had just started when they were killed is ended", async () => {
  const world = await World.create();
  world.repository.commit(smallApp("one"));
  const agent = await world.startAgent();
  await world.deploy({ processes: { web: smallWeb } });
  await agent.stop();
  process.kill(
    Lock.parse(JSON.parse(readFileSync(join(world.home, "supervisor.lock"), "utf8"))).pid,
    "SIGKILL",
  );
  const stateFile = join(world.home, "supervisor.json");
  const state = State.parse(JSON.parse(readFileSync(stateFile, "utf8")));
  writeFileSync(stateFile, JSON.stringify({ ...state, instances: [] }));
  rmSync(world.path("desired.json"));
  expect(runningInstances(world)).toEqual(["web-1-0"]);
  await world.startAgent();
  await expect.poll(() => runningInstances(world)).toEqual([]);
  await expect.poll(() => notedInstances(world)).toEqual([]);
  await world.close();
});
