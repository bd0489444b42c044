import { afterEach, beforeEach, expect, it } from "vitest";

import { keepRunning } from "#agent/apps/keep-running.ts";
import type { Supervisor } from "#agent/apps/supervisor.ts";

import { ids, AgentWorld } from "../../../agent/support/harness.ts";
import { smallApp, smallWeb } from "../../../agent/support/small-app.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit(smallApp("one"));
});
afterEach(() => world.close());

it("a start that takes long does not delay the checks of other projects", async () => {
  const slow = ids.project();
  const agent = await world.startAgent();
  await world.deploy({ processes: { web: smallWeb } });
  await world.deploy({ project_id: slow, processes: { web: smallWeb } });
  await agent.stop();

  const context = await world.context();
  const ending = new AbortController();
  let slowStarts = 0;
  const supervisor: Supervisor = {
    ...context.supervisor,
    start(spec) {
      if (spec.project !== slow) return context.supervisor.start(spec);
      slowStarts += 1;
      return new Promise(() => undefined);
    },
  };
  const instances = async () => {
    const listed = await context.supervisor.list(world.projectId);
    return listed.ok ? listed.value.map(({ name }) => name) : [];
  };
  let hasStarted = false;
  const onStarted = () => void (hasStarted = true);
  void keepRunning({ ...context, supervisor }, ending.signal, () => undefined, onStarted);
  await expect.poll(() => slowStarts).toBe(1);
  for (let round = 0; round < 2; round += 1) {
    await context.supervisor.stop(world.projectId, "web-1-0");
    await expect.poll(instances).toEqual(["web-1-0"]);
  }
  expect(slowStarts).toBe(1);
  // So the ready URL does not say yet that the server takes requests.
  expect(hasStarted).toBe(false);
  ending.abort();
});
