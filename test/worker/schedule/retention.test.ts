import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { LogPage } from "#contract/endpoints/logs/schemas.ts";
import { sweepLogs } from "#worker/schedule/sweep-logs.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import { inDays, runRound, runScheduleIn } from "../../support/worker/schedule.ts";
import { deploy, keepFor, keys, stored, withParts } from "../../support/worker/kept-logs.ts";
const forms = ["application/json", "text/plain", "application/x-ndjson", "text/event-stream"];

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Moves the end of a deployment back by this many days. */
async function age(id: string, days: number): Promise<void> {
  await env.DB.prepare("UPDATE deployments SET finished_at = finished_at - ? WHERE id = ?")
    .bind(days * 86_400_000, id)
    .run();
}

describe("the log of an ended deployment", () => {
  it("is kept for exactly 90 days", async () => {
    const project = await TestProject.connected();
    await deploy(project);
    await runScheduleIn(89.9);
    expect(await keys()).toHaveLength(1);
    await runScheduleIn(90.1);
    expect(await keys()).toEqual([]);
  });

  it("is deleted by its own age, live or not, and younger logs stay", async () => {
    const project = await TestProject.connected();
    const ids = [await deploy(project), await deploy(project), await deploy(project), await deploy(project)];
    for (const [at, id] of ids.entries()) await age(id, [200, 87, 89, 88.5][at] ?? 0);
    // Without other jobs: the repair would undo the manual change.
    await inDays(1.2, () => runRound(sweepLogs));
    expect(await stored()).toEqual(new Set([ids[1], ids[3]]));
    for (const [at, status] of [410, 200, 410, 200].entries())
      expect((await project.get(`/v1/logs/${ids[at]}`)).status).toBe(status);
  });

  it("is 410 in every form after it was deleted, and its deployment stays", async () => {
    const project = await TestProject.connected();
    const id = await deploy(project);
    const before = await project.deployment(id);
    await runScheduleIn(91);
    for (const accept of forms) {
      const answer = await project.get(`/v1/logs/${id}`, { accept });
      expect(await problemOf(answer)).toMatchObject({ status: 410, code: "log_expired" });
    }
    const later = `/v1/logs/${id}?cursor=${encodeURIComponent(btoa("line:2"))}`;
    expect((await project.get(later)).status).toBe(410);
    await keepFor(project, 3650);
    expect((await project.get(`/v1/logs/${id}`)).status).toBe(410);
    expect(await project.deployment(id)).toEqual(before);
  });

  it("is not 410 if it exists and has no more lines", async () => {
    const project = await TestProject.connected();
    const id = await deploy(project);
    for (const accept of forms) {
      const cursor = encodeURIComponent(btoa("line:9999"));
      const answer = await project.get(`/v1/logs/${id}?cursor=${cursor}`, { accept });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
  });
});

describe("the log of a running deployment", () => {
  it("is not deleted at any age", async () => {
    const project = await TestProject.connected();
    await keepFor(project, 1);
    const { id, order, lines } = await withParts(project);
    const before = await keys();
    await runScheduleIn(400);
    expect(await keys()).toEqual(before);
    await project.agent.completes(order);
    await project.reaches(id, "live");
    const text = await (await project.get(`/v1/logs/${id}`, { accept: "text/plain" })).text();
    expect(text.split("\n").filter((line) => line.endsWith("xxx"))).toHaveLength(lines.length);
  });

  it("is empty instead of 410 before the first line", async () => {
    const project = await TestProject.create();
    const { id } = await project.start();
    const answer = await call(`/v1/logs/${id}`, { token: project.token });
    expect(LogPage.parse(await answer.json()).status).toBe("building");
  });
});
