import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import type { AgentLink } from "#worker/objects/agent-link/agent-link.ts";
import { FleetRecord } from "#worker/objects/agent-link/fleet-record.ts";
import { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";
import { output } from "../../support/connected-agent/events.ts";
import { ids } from "../../support/worker/account.ts";
import { failCalls, onCalls } from "../../support/worker/intercept.ts";
import { TestProject } from "../../support/worker/project.ts";

/** Counts how often the alarm of any object is set. Each time is billed as a row written. */
async function countAlarms(project: TestProject): Promise<() => number> {
  let count = 0;
  onCalls(Object.getPrototypeOf(await storageOf(project)), "setAlarm", () => (count += 1));
  return () => count;
}

async function storageOf(project: TestProject): Promise<object> {
  return await runInDurableObject(env.PROJECT_LANE.getByName(project.id), (_lane, { storage }) => storage);
}

describe("an object's alarm", () => {
  it("is set by the next call if the storage did not accept it", async () => {
    const feed = env.EVENT_FEED.getByName(ids.account());
    const at = Date.now() + 3_600_000;
    await runInDurableObject(feed, async (_feed, { storage }) => {
      const alarm = new ObjectAlarm(storage);
      failCalls(Object.getPrototypeOf(storage), "setAlarm", { times: 1 });
      await expect(alarm.setBy(at)).rejects.toThrow("setAlarm is down");
      await alarm.setBy(at);
      expect(await storage.getAlarm()).toBe(at);
    });
  });

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

  it("is not set to a later time by a run that continues", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const storage = await storageOf(project);
    let setFor = 0;
    const later: number[] = [];
    onCalls(storage, "setAlarm", ([at]) => {
      const time = Number(at);
      // An alarm that is due may have fired.
      if (Date.now() < setFor && time > setFor) later.push(time - setFor);
      setFor = time;
    });
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    await project.agent.reports(order, output("one"));
    await project.agent.completes(order);
    await project.reaches(id, "live");
    expect(setFor).toBeGreaterThan(0);
    expect(later).toEqual([]);
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
    (_link, { storage }) => new PresenceRecord(storage, new FleetRecord(storage.kv)).unwritten() !== null,
  );
}
