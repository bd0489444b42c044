import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { LogLine, LogPage, MAX_LOG_BYTES } from "#contract/endpoints/logs/schemas.ts";
import { LogBuffer } from "#worker/objects/project-lane/log-buffer.ts";
import { output } from "../../../support/connected-agent/events.ts";
import { failCalls, onCalls } from "../../../support/worker/intercept.ts";
import { upTo } from "../../../support/worker/log-reader.ts";
import { laneOf, TestProject } from "../../../support/worker/project.ts";

const MIB = 1024 * 1024;
const bucket: object = Object.getPrototypeOf(env.LOGS);
const upload: object = Object.getPrototypeOf(env.LOGS.resumeMultipartUpload("any", "any"));
const objects = async () => (await env.LOGS.list()).objects;
const names = async () => (await objects()).map(({ key }) => key.slice(key.lastIndexOf("/") + 1));

afterEach(() => {
  vi.restoreAllMocks();
});

/** A running deployment with this much output. */
async function withOutput(bytes: number) {
  const project = await TestProject.connected();
  const { id } = await project.start();
  const order = await project.agent.orderOf(id);
  const write = async (more: number) => {
    const lines = Array.from({ length: 60 }, (_, index) => `${index} ${"x".repeat(8000)}`);
    for (let written = 0; written < more; written += 60 * 8100)
      await project.agent.reports(order, output(...lines));
  };
  await write(bytes);
  return { project, id, order, write };
}

async function allLines(project: TestProject, id: string): Promise<number[]> {
  const answer = await project.get(`/v1/logs/${id}`, { accept: "application/x-ndjson" });
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
  const text = new TextDecoder().decode(await answer.arrayBuffer());
  const lines = text.split("\n").slice(0, -1);
  return lines.map((json) => LogLine.parse(JSON.parse(json)).line);
}

/** Waits until the log is one object and has no parts or buffered lines. */
async function isWhole(project: TestProject, id: string): Promise<void> {
  await vi.waitFor(async () => {
    await runDurableObjectAlarm(laneOf(project));
    expect(await names()).toEqual(["log.ndjson"]);
    const tables = ["log_heads", "log_chunks", "log_parts"];
    const left = await runInDurableObject(laneOf(project), (_lane, { storage }) =>
      tables.flatMap((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
    );
    expect(left).toEqual([]);
  });
  const lines = await allLines(project, id);
  expect(lines).toEqual(upTo(lines.length));
}

/** Records the ids of uploads as they begin. */
function uploads(): Promise<string>[] {
  const ids: Promise<string>[] = [];
  onCalls(bucket, "createMultipartUpload", (_values, result) => {
    ids.push(Promise.resolve(result).then((begun) => String(Reflect.get(Object(begun), "uploadId"))));
  });
  return ids;
}

async function isOpen(uploadId: string): Promise<boolean> {
  const [whole] = await objects();
  try {
    await env.LOGS.resumeMultipartUpload(whole?.key ?? "", uploadId).uploadPart(1, "x");
    return true;
  } catch {
    return false;
  }
}

describe("a log of many megabytes", () => {
  it("becomes one object, uploaded in equal pieces, and a page in the middle is read from near its start", async () => {
    const { project, id, order } = await withOutput(11 * MIB);
    expect(Math.max(...(await objects()).map(({ size }) => size))).toBeLessThanOrEqual(MIB);
    const pieces: number[] = [];
    onCalls(upload, "uploadPart", ([, piece]) => {
      if (piece instanceof Uint8Array) pieces.push(piece.byteLength);
    });
    await project.agent.completes(order);
    await isWhole(project, id);
    const [whole] = await objects();
    expect(pieces.slice(0, -1)).toEqual([5 * MIB, 5 * MIB]);
    expect(pieces.reduce((sum, size) => sum + size, 0)).toBe(whole?.size);

    const last = (await allLines(project, id)).length;
    let reads = 0;
    onCalls(bucket, "get", () => (reads += 1));
    const cursor = encodeURIComponent(btoa(`line:${last - 5}`));
    const page = LogPage.parse(await (await project.get(`/v1/logs/${id}?cursor=${cursor}`)).json());
    expect(page.lines.map(({ line }) => line)).toEqual(upTo(last).slice(-5));
    expect(reads).toBeLessThan(4);
  });

  it("is completed again after an interruption, and leaves no upload behind", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project, id, order } = await withOutput(6 * MIB);
    const begun = uploads();
    failCalls(upload, "complete", { times: 1 });
    await project.agent.completes(order);
    await isWhole(project, id);
    expect(begun).toHaveLength(2);
    for (const uploadId of begun) expect(await isOpen(await uploadId)).toBe(false);
  });

  it("is not completed again if only its parts have to be deleted", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project, id, order } = await withOutput(6 * MIB);
    const begun = uploads();
    failCalls(bucket, "delete", { times: 1 });
    await project.agent.completes(order);
    await isWhole(project, id);
    expect(begun).toHaveLength(1);
  });

  it("leaves nothing if it is deleted while it is completed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project, id, order } = await withOutput(6 * MIB);
    const begun = uploads();
    const down = failCalls(upload, "uploadPart");
    const failure = { code: "build_failed", message: "exit code 2", stage: "build" } as const;
    const report = { project_id: order.project_id, release: null, releases: [], url: null };
    const result = { outcome: "failed", failure } as const;
    await project.agent.reports(order, { type: "result", result, project: report });
    await vi.waitFor(() => expect(down.count()).toBeGreaterThan(0));
    down.end();
    expect((await project.delete(id)).status).toBe(204);
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(laneOf(project));
      expect(await names()).toEqual([]);
    });
    for (const uploadId of begun) expect(await isOpen(await uploadId)).toBe(false);
  });
});

describe("during an outage of R2", () => {
  it("a log is stored in the lane and read from there, and goes to R2 in small parts afterwards", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project, id, order, write } = await withOutput(0);
    const down = failCalls(bucket, "put");
    await write(4 * MIB);
    const windows: number[] = [];
    onCalls(LogBuffer.prototype, "unfinished", (_values, result) =>
      windows.push(JSON.stringify(result).length),
    );
    const lines = await allLines(project, id);
    expect(lines).toEqual(upTo(lines.length));
    expect(windows.length).toBeGreaterThan(3);
    expect(Math.max(...windows)).toBeLessThan(1.2 * MIB);
    expect(await names()).toEqual([]);
    down.end();
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(laneOf(project));
      expect((await objects()).length).toBeGreaterThan(3);
    });
    expect(Math.max(...(await objects()).map(({ size }) => size))).toBeLessThanOrEqual(MIB);
    await project.agent.completes(order);
    await isWhole(project, id);
  });
});

describe("a log that has reached 50 MiB", () => {
  it("has one line about the cut, and only Gantry's own lines after it", async () => {
    const { project, id, order } = await withOutput(0);
    await project.agent.reports(order, output("one"));
    await runInDurableObject(laneOf(project), (_lane, { storage }) =>
      storage.sql.exec("UPDATE log_heads SET bytes = ?", MAX_LOG_BYTES - 1),
    );
    await project.agent.reports(order, output("the last"), output("too much"), output("too much"));
    await project.agent.reports(order, output("too much"));
    await project.agent.completes(order);
    await isWhole(project, id);
    const text = await (await project.get(`/v1/logs/${id}`, { accept: "text/plain" })).text();
    const messages = text.split("\n").map((line) => line.slice(34));
    expect(messages.slice(1)).toEqual([
      "one",
      "the last",
      "The log is cut here: the output of commands after 50 MiB is left out",
      expect.stringContaining("Live: v1"),
      "",
    ]);
  });
});

describe("an agent that marks all output as its own", () => {
  it("can add at most one more MiB to the log, and the verdict is still the last line", async () => {
    const { project, id, order } = await withOutput(0);
    await runInDurableObject(laneOf(project), (_lane, { storage }) =>
      storage.sql.exec("UPDATE log_heads SET bytes = ?", MAX_LOG_BYTES),
    );
    const line = { time: "", stream: "system", stage: "build", message: "x".repeat(16_000) } as const;
    const flood = Array.from({ length: 60 }, () => line);
    for (let times = 0; times < 4; times += 1)
      await project.agent.reports(order, { type: "output", lines: flood });
    await project.agent.completes(order);
    await isWhole(project, id);
    const text = await (await project.get(`/v1/logs/${id}`, { accept: "text/plain" })).text();
    expect(text.length).toBeLessThan(2.5 * MIB);
    expect(text).toContain("The log is cut here");
    expect(text).toMatch(/Live: v1.*\n$/);
  });
});

describe("a row of the lane's buffer", () => {
  it("is far below the limit of 2 MB for an event of any size", async () => {
    const { project, order } = await withOutput(0);
    const message = "\u0001".repeat(16 * 1024);
    // In the agent's JSON body, such a message is six times as long.
    for (let event = 0; event < 3; event += 1)
      await project.agent.reports(order, output(...Array.from({ length: 9 }, () => message)));
    const largest = await runInDurableObject(laneOf(project), (_lane, { storage }) =>
      storage.sql.exec<{ largest: number }>("SELECT max(length(ndjson)) AS largest FROM log_chunks").one(),
    );
    expect(largest.largest ?? 0).toBeLessThanOrEqual(256 * 1024);
  });
});
