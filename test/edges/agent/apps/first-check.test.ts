import { setTimeout as pause } from "node:timers/promises";

import { afterEach, beforeEach, expect, it } from "vitest";

import { keepRunning } from "#agent/apps/keep-running.ts";
import type { Supervisor } from "#agent/apps/supervisor.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";
import { smallApp, smallWeb } from "../../../agent/support/small-app.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit(smallApp("one"));
});
afterEach(() => world.close());

it("the apps have started after the first check, and are then looked at only now and then", async () => {
  const agent = await world.startAgent();
  await world.deploy({ processes: { web: smallWeb } });
  await agent.stop();
  const context = await world.context();
  const ending = new AbortController();
  let lists = 0;
  const supervisor: Supervisor = {
    ...context.supervisor,
    list(project) {
      if (project === null) lists += 1;
      return context.supervisor.list(project);
    },
  };
  // As after a start of the server.
  await context.supervisor.stop(world.projectId, "web-1-0");
  const settings = { ...context.settings, appsCheckMs: 60_000, drainCheckMs: 20 };
  const started = new Promise<void>((done) => {
    void keepRunning({ ...context, settings, supervisor }, ending.signal, () => undefined, done);
  });
  await started;
  const running = await context.supervisor.list(world.projectId);
  expect(running.ok ? running.value.map(({ name }) => name) : []).toEqual(["web-1-0"]);
  await pause(300);
  expect(lists).toBe(1);
  ending.abort();
});
