import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { LogPage } from "#contract/endpoints/logs/schemas.ts";
import { problemOf } from "../../support/worker/call.ts";
import { output } from "../../support/connected-agent/events.ts";
import { TestProject } from "../../support/worker/project.ts";

async function page(project: TestProject, id: string, query = ""): Promise<LogPage> {
  return LogPage.parse(await (await project.get(`/v1/logs/${id}${query}`)).json());
}

async function text(project: TestProject, id: string): Promise<string> {
  return await (await project.get(`/v1/logs/${id}`, { accept: "text/plain" })).text();
}

const keys = async () => (await env.LOGS.list()).objects.map((object) => object.key);

describe("a deployment's log", () => {
  it("can be read while the deployment runs, numbered without gaps, with Gantry's own lines", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" }, output("one", "two"));
    const log = await page(project, id);
    expect(log).toMatchObject({ deployment_id: id, status: "building" });
    expect(log.lines.map((line) => [line.line, line.stream, line.message])).toEqual([
      [1, "system", "Queued as v1 by test: branch main"],
      [2, "stdout", "one"],
      [3, "stdout", "two"],
    ]);
    expect(log.next_cursor).not.toBeNull();
    await project.agent.reports(order, output("three"));
    const more = await page(project, id, `?cursor=${encodeURIComponent(log.next_cursor ?? "")}`);
    expect(more.lines.map((line) => line.message)).toEqual(["three"]);
  });

  it("becomes one object after the deployment has ended, with the verdict as its last line", async () => {
    const project = await TestProject.connected();
    const { id } = await project.deploy();
    await vi.waitFor(async () => expect(await keys()).toEqual([expect.stringContaining(`${id}/log.ndjson`)]));
    const log = await page(project, id);
    expect(log.next_cursor).toBeNull();
    expect(log.lines.at(-1)).toMatchObject({ stream: "system", stage: "end" });
    expect(log.lines.at(-1)?.message).toContain("Live: v1");
    expect(await text(project, id)).toContain("Live: v1");
  });

  it("refuses a cursor of another list", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    for (const cursor of ["nonsense", btoa("line:x"), btoa("other:1")]) {
      const refused = await project.get(`/v1/logs/${id}?cursor=${encodeURIComponent(cursor)}`);
      expect(await problemOf(refused)).toMatchObject({ status: 422, errors: [{ pointer: "?cursor" }] });
    }
  });
});
