import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { LogPage } from "#contract/endpoints/logs/schemas.ts";
import { output } from "../../../support/connected-agent/events.ts";
import { TestProject } from "../../../support/worker/project.ts";

async function page(project: TestProject, id: string, query = ""): Promise<LogPage> {
  return LogPage.parse(await (await project.get(`/v1/logs/${id}${query}`)).json());
}

async function text(project: TestProject, id: string): Promise<string> {
  return await (await project.get(`/v1/logs/${id}`, { accept: "text/plain" })).text();
}

async function allPages(project: TestProject, id: string, limit: number): Promise<LogPage["lines"]> {
  const lines: LogPage["lines"] = [];
  let cursor: string | null = null;
  do {
    const next: LogPage = await page(
      project,
      id,
      `?limit=${limit}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    lines.push(...next.lines);
    cursor = next.next_cursor;
  } while (cursor !== null);
  return lines;
}

const keys = async () => (await env.LOGS.list()).objects.map((object) => object.key);

describe("a deployment's log", () => {
  it("has each line once across parts, buffer and the complete object", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    const messages: string[] = [];
    // More than the size of a part each time, so that a part goes to R2.
    for (let batch = 0; batch < 3; batch += 1) {
      const lines = Array.from({ length: 300 }, (_, index) => `${batch}-${index} ${"ü".repeat(500)}`);
      messages.push(...lines);
      await project.agent.reports(order, output(...lines));
      await vi.waitFor(async () => expect((await keys()).length).toBe(batch + 1));
    }
    await project.agent.reports(order, output("in the buffer"));
    const written = async () =>
      (await page(project, id, "?limit=1000")).lines.filter((line) => line.stream === "stdout");
    expect((await written()).map((line) => line.message)).toEqual([...messages, "in the buffer"]);
    const middle = await page(project, id, `?limit=2&cursor=${encodeURIComponent(btoa("line:650"))}`);
    expect(middle.lines.map((line) => line.line)).toEqual([651, 652]);

    await project.agent.completes(order);
    await vi.waitFor(async () => expect(await keys()).toEqual([expect.stringContaining("log.ndjson")]));
    const whole = await allPages(project, id, 100);
    expect(whole.map((line) => line.line)).toEqual(whole.map((_, index) => index + 1));
    expect(whole.filter((line) => line.message.includes("ü")).map((line) => line.message)).toEqual(messages);
    expect((await text(project, id)).split("\n").length).toBe(whole.length + 1);
  });

  it("has pages that fit into the Worker's memory with lines of any length", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    const long = "x".repeat(16 * 1024);
    for (let batch = 0; batch < 10; batch += 1)
      await project.agent.reports(order, output(...Array.from({ length: 50 }, () => long)));
    await project.agent.completes(order);
    await vi.waitFor(async () => expect(await keys()).toEqual([expect.stringContaining("log.ndjson")]));
    const answer = await project.get(`/v1/logs/${id}?limit=1000`);
    const body = await answer.text();
    expect(body.length).toBeLessThan(5_000_000);
    expect(LogPage.parse(JSON.parse(body)).lines.length).toBeGreaterThan(200);
    const lines = await allPages(project, id, 1000);
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.filter(({ message }) => message === long)).toHaveLength(500);
  });
});
