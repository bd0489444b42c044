import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { failCalls } from "../../../support/worker/intercept.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { runScheduleIn } from "../../../support/worker/schedule.ts";
import { deploy, keepFor, keys, stored, withParts } from "../../../support/worker/kept-logs.ts";

const bucket: object = Object.getPrototypeOf(env.LOGS);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the log of an ended deployment", () => {
  it("is deleted by the setting of its own account", async () => {
    const [brief, usual, long] = [
      await TestProject.connected(),
      await TestProject.connected(),
      await TestProject.connected(),
    ];
    await keepFor(brief, 7);
    await keepFor(long, 3650);
    const [, second, third] = [await deploy(brief), await deploy(usual), await deploy(long)];
    await runScheduleIn(7.1);
    expect(await stored()).toEqual(new Set([second, third]));
    await runScheduleIn(3649);
    expect(await stored()).toEqual(new Set([third]));
    await runScheduleIn(3651);
    expect(await stored()).toEqual(new Set());
  });

  it("is deleted by the current setting", async () => {
    const project = await TestProject.connected();
    const id = await deploy(project);
    await keepFor(project, 1);
    await keepFor(project, 30);
    await runScheduleIn(29);
    expect(await stored()).toEqual(new Set([id]));
    await keepFor(project, 28);
    await runScheduleIn(29);
    expect(await stored()).toEqual(new Set());
  });

  it("is not deleted before its lane has completed it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const project = await TestProject.connected();
    const { id, order } = await withParts(project);
    const down = failCalls(bucket, "put", { when: ([key]) => String(key).startsWith("logs/") });
    await project.agent.completes(order);
    await project.reaches(id, "live");
    await vi.waitFor(() => expect(down.count()).toBeGreaterThan(0));
    const before = await keys();
    await runScheduleIn(91);
    expect(await keys()).toEqual(before);
    down.end();
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(env.PROJECT_LANE.getByName(project.id));
      expect((await keys()).map((key) => key.split("/")[4])).toEqual(["log.ndjson"]);
    });
    expect((await project.get(`/v1/logs/${id}`)).status).toBe(200);
    await runScheduleIn(91);
    expect(await keys()).toEqual([]);
  });
});

describe("the log of a running deployment", () => {
  it("is not deleted if D1 has lost its record but the lane has it", async () => {
    const project = await TestProject.connected();
    const { id } = await withParts(project);
    const before = await keys();
    await env.DB.prepare("DELETE FROM deployments WHERE id = ?").bind(id).run();
    await runScheduleIn(400);
    expect(await keys()).toEqual(before);
  });
});
