import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import type { AgentLink } from "#worker/objects/agent-link/agent-link.ts";
import { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";
import { output } from "../../support/connected-agent/events.ts";
import { onCalls } from "../../support/worker/intercept.ts";
import { TestProject } from "../../support/worker/project.ts";

/** Counts how often the alarm of any object is set. Each time is billed as a row written. */
async function countAlarms(project: TestProject): Promise<() => number> {
  let count = 0;
  const storagePrototype = await runInDurableObject(
    env.PROJECT_LANE.getByName(project.id),
    (_lane, { storage }): object => Object.getPrototypeOf(storage),
  );
  onCalls(storagePrototype, "setAlarm", () => (count += 1));
  return () => count;
}

describe("an object's alarm", () => {
  it("is not set again by most reports of a run", async () => {
    const { project, order } = await TestProject.running();
    await project.agent.reports(order, output("two"));
    const alarms = await countAlarms(project);
    for (let line = 3; line < 23; line += 1) await project.agent.reports(order, output(`${line}`));
    expect(alarms()).toBeLessThan(3);
    await project.agent.completes(order);
    await project.reaches(order.deployment_id, "live");
    const alarmOf = () =>
      runInDurableObject(env.PROJECT_LANE.getByName(project.id), (_lane, { storage }) => storage.getAlarm());
    await vi.waitFor(async () => expect(await alarmOf()).toBeNull());
  });

  it("is set once by each check of an idle link", async () => {
    const project = await TestProject.connected();
    const link = env.AGENT_LINK.getByName(project.agent.serverId);
    await vi.waitFor(async () => expect(await isUntold(link)).toBe(false));
    const alarms = await countAlarms(project);
    for (let times = 0; times < 3; times += 1) await runDurableObjectAlarm(link);
    expect(alarms()).toBe(3);
  });
});

/** Whether the agent's presence is not in D1 yet. */
async function isUntold(link: DurableObjectStub<AgentLink>): Promise<boolean> {
  return await runInDurableObject(
    link,
    (_link, { storage }) => new PresenceRecord(storage).unwritten() !== null,
  );
}
