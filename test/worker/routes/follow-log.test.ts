import { afterEach, describe, expect, it, vi } from "vitest";

import { problemOf } from "../../support/worker/call.ts";
import { emptyReport, output } from "../../support/connected-agent/events.ts";
import { LogReader, upTo } from "../../support/worker/log-reader.ts";
import { TestProject } from "../../support/worker/project.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("following a log", () => {
  it("sends the lines so far, then new lines, and ends with the verdict", async () => {
    const { project, id, order } = await TestProject.running();
    const reader = await LogReader.follow(project, id);
    await reader.sees("one");
    expect(reader.messages).toEqual(["Queued as v1 by test: branch main", "one"]);
    for (const message of ["two", "three"]) {
      await project.agent.reports(order, output(message));
      await reader.sees(message);
    }
    expect(reader.end).toBeNull();
    await project.agent.completes(order);
    expect(await reader.closes()).toEqual({ deployment_id: id, status: "live", failure: null });
    expect(reader.numbers).toEqual(upTo(reader.lines.length));
    expect(reader.messages.at(-1)).toContain("Live: v1");
  });

  it("is a stream that is not cached or buffered", async () => {
    const { project, id } = await TestProject.running();
    const { response } = await LogReader.follow(project, id);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(response.headers.get("vary")).toBe("accept");
    expect(response.headers.has("etag")).toBe(false);
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("sends everything and ends at once if the deployment has ended", async () => {
    const project = await TestProject.connected();
    const { id } = await project.deploy();
    const reader = await LogReader.follow(project, id);
    expect(await reader.closes()).toEqual({ deployment_id: id, status: "live", failure: null });
    expect(reader.numbers).toEqual(upTo(reader.lines.length));
    expect(reader.messages.at(-1)).toContain("Live: v1");
  });

  it("ends with the reason if the deployment failed", async () => {
    const { project, id, order } = await TestProject.running();
    const reader = await LogReader.follow(project, id);
    const failure = { code: "build_failed", message: "exit code 2", stage: "build" } as const;
    const result = { outcome: "failed", failure } as const;
    await project.agent.reports(order, { type: "result", result, project: emptyReport(order) });
    expect(await reader.closes()).toEqual({ deployment_id: id, status: "failed", failure });
  });

  it("continues after the line in Last-Event-ID, or else after the cursor", async () => {
    const { project, id, order } = await TestProject.running();
    await project.agent.reports(order, output("two", "three"));
    const resumed = await LogReader.follow(project, id, { headers: { "last-event-id": "2" } });
    const { next_cursor } = await (
      await project.get(`/v1/logs/${id}?limit=3`)
    ).json<{ next_cursor: string }>();
    const query = `?cursor=${encodeURIComponent(next_cursor)}`;
    const fromPage = await LogReader.follow(project, id, { query });
    const both = await LogReader.follow(project, id, { query, headers: { "last-event-id": "1" } });
    await project.agent.completes(order);
    for (const [reader, first] of [
      [resumed, 3],
      [fromPage, 4],
      [both, 2],
    ] as const) {
      await reader.closes();
      expect(reader.numbers).toEqual(upTo(reader.numbers.at(-1) ?? 0).slice(first - 1));
    }
    const after = await LogReader.follow(project, id, { headers: { "last-event-id": "2" } });
    await after.closes();
    expect(after.numbers).toEqual(resumed.numbers);
    const nothing = await LogReader.follow(project, id, { headers: { "last-event-id": "999" } });
    expect(await nothing.closes()).toMatchObject({ status: "live" });
    expect(nothing.lines).toEqual([]);
  });

  it.each(["x", "-1", "1.5", "1,2", "99999999999"])("refuses Last-Event-ID: %s", async (value) => {
    const { project, id } = await TestProject.running();
    const headers = { accept: "text/event-stream", "last-event-id": value };
    const refused = await project.get(`/v1/logs/${id}`, headers);
    expect(await problemOf(refused)).toMatchObject({ status: 422, errors: [{ pointer: "Last-Event-ID" }] });
  });

  it("does nothing for HEAD", async () => {
    const { project, id } = await TestProject.running();
    const answer = await project.call("HEAD", `/v1/logs/${id}`, undefined, { accept: "text/event-stream" });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toBe("");
  });
});

describe("a client that follows a log", () => {
  it("gets the end at once if the deployment is deleted", async () => {
    const { project, id } = await TestProject.running();
    const queued = await project.start();
    const readers = [await LogReader.follow(project, queued.id), await LogReader.follow(project, id)];
    await vi.waitFor(() => expect(readers[0]?.lines).toHaveLength(1));
    await readers[1]?.sees("one");
    expect((await project.delete(queued.id)).status).toBe(204);
    expect(await readers[0]?.closes()).toEqual({
      deployment_id: queued.id,
      status: "deleted",
      failure: null,
    });
    expect((await project.delete(id)).status).toBe(204);
    expect(await readers[1]?.closes()).toEqual({ deployment_id: id, status: "deleted", failure: null });
  });

  it("gets the end if the deployment is canceled while it waits for its server", async () => {
    const project = await TestProject.create();
    const { id } = await project.start();
    const reader = await LogReader.follow(project, id);
    await reader.sees("Queued as v1 by test: branch main");
    await project.post(`/v1/deployments/${id}/cancel`);
    expect(await reader.closes()).toMatchObject({ status: "canceled" });
    expect(reader.messages.at(-1)).toBe("Canceled by test");
  });
});
