import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createEventLog, type EventLog } from "#agent/report/event-log.ts";
import { openSpool, removeOtherSpools, reopenSpool, type Spool } from "#agent/report/spool.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { RunEvent } from "#contract/agent-events.ts";
import type { RunId } from "#contract/ids.ts";

import { ids } from "../support/harness.ts";

const line = (message: string) => ({
  time: "2026-01-01T00:00:00.000Z",
  stream: "stdout" as const,
  stage: "build" as const,
  message,
});

const BOUND = 64 * 1024 * 1024;

let home: string;
let folder: ProjectFolder;
let runId: RunId;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gantry-spool-"));
  folder = projectFolder(home, ids.project());
  runId = ids.run();
  mkdirSync(folder.root, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const logOf = (spool: Spool, size: number, firstSeq = 1, ackedSeq = firstSeq - 1): EventLog =>
  createEventLog({ firstSeq, ackedSeq, maxEventBytes: size, spool, now: () => 0 });
const file = () => join(folder.spool, `${runId}.ndjson`);
const messagesOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "output" ? event.lines.map(({ message }) => message) : []));

type Act =
  | { kind: "line" | "stage" | "spill" }
  | { kind: "post"; stored: boolean; heard: boolean }
  | { kind: "death"; torn: string };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Act>({ kind: "line" }) },
  { weight: 2, arbitrary: fc.constantFrom<Act>({ kind: "stage" }, { kind: "spill" }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("post" as const), stored: fc.boolean(), heard: fc.boolean() }),
  },
  fc.record({
    kind: fc.constant("death" as const),
    torn: fc.constantFrom("", "\n", '{"seq":', '{"seq":1,"type":"output","lines":[]}', "\0\0\0\n"),
  }),
);

describe("the events that wait for the control plane", () => {
  it("arrive once, in order, without a gap and unchanged, whatever requests, answers and agent processes are lost", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 80 }),
        fc.integer({ min: 80, max: 600 }),
        async (acts, size) => {
          runId = ids.run();
          let spool = openSpool(folder, runId, BOUND);
          let log = logOf(spool, size);
          const stored: RunEvent[] = [];
          const written: string[] = [];
          const post = (isStored: boolean, isHeard: boolean): void => {
            const events = log.batch(size);
            if (!isStored) return;
            for (const event of events) {
              const held = stored[event.seq - 1];
              if (held === undefined) {
                expect(event.seq).toBe(stored.length + 1);
                stored.push(structuredClone(event));
              } else expect(event).toEqual(held);
            }
            if (isHeard) log.acknowledge(stored.length);
          };
          for (const [index, each] of acts.entries()) {
            switch (each.kind) {
              case "line":
                log.appendLine(line(`line ${index}`));
                written.push(`line ${index}`);
                break;
              case "stage":
                log.append({ type: "stage", stage: "build" });
                written.push("stage");
                break;
              case "spill":
                expect(log.spill()).toBe(true);
                break;
              case "post":
                post(each.stored, each.heard);
                break;
              case "death": {
                log.spill();
                spool.close();
                if (existsSync(file())) appendFileSync(file(), each.torn);
                const remains = await reopenSpool(folder, runId, BOUND);
                spool = remains?.spool ?? openSpool(folder, runId, BOUND);
                log = logOf(spool, size, Math.max(stored.length, remains?.lastSeq ?? 0) + 1, stored.length);
              }
            }
          }
          while (log.bytes > 0) post(true, true);
          const arrived = stored.flatMap((event) =>
            event.type === "output" ? messagesOf([event]) : ["stage"],
          );
          expect(arrived).toEqual(written);
          expect(existsSync(file()) ? readFileSync(file(), "utf8") : "").toBe("");
        },
      ),
    );
  });

  it("continue after the highest number that an earlier process of the agent used", () => {
    const log = logOf(openSpool(folder, runId, BOUND), 1000, 8);
    log.append({ type: "ready" });
    expect(log.batch(1000)).toEqual([{ seq: 8, type: "ready" }]);
  });

  it("collect lines until they are sent, and not afterwards", () => {
    const log = logOf(openSpool(folder, runId, BOUND), 10_000);
    log.appendLine(line("a"));
    log.appendLine(line("b"));
    expect(log.batch(10_000)).toHaveLength(1);
    log.appendLine(line("c"));
    expect(log.batch(10_000).map((event) => event.type === "output" && event.lines.length)).toEqual([2, 1]);
  });
});

describe("the spool", () => {
  it("creates no file before it is needed, and leaves none behind", () => {
    const spool = openSpool(folder, runId, BOUND);
    const log = logOf(spool, 1000);
    log.appendLine(line("a"));
    log.acknowledge(1);
    expect(readdirSync(folder.root)).toEqual([]);
    log.appendLine(line("b"));
    log.spill();
    expect(existsSync(file())).toBe(true);
    spool.remove();
    expect(readdirSync(folder.root)).toEqual([]);
  });

  it("holds no more than its limit, and newer events stay in memory in order", () => {
    const log = logOf(openSpool(folder, runId, 400), 100);
    const messages = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const spilled = messages.map((message) => {
      log.appendLine(line(message));
      return log.spill();
    });
    expect(new Set(spilled)).toEqual(new Set([true, false]));
    expect(log.memoryBytes).toBeGreaterThan(0);
    const arrived: RunEvent[] = [];
    while (log.bytes > 0) {
      const events = log.batch(150);
      arrived.push(...events);
      log.acknowledge(events.at(-1)?.seq ?? 0);
    }
    expect(messagesOf(arrived)).toEqual(messages);
    log.appendLine(line("after"));
    expect(log.spill()).toBe(true);
  });

  it("drops the permit request and the result of an earlier process", async () => {
    const log = logOf(openSpool(folder, runId, BOUND), 1000);
    log.appendLine(line("a"));
    log.append({ type: "ready" });
    const project = { project_id: ids.project(), release: null, releases: [], url: null };
    log.append({ type: "result", result: { outcome: "canceled" }, project });
    log.spill();
    expect(await reopenSpool(folder, runId, BOUND)).toMatchObject({ firstSeq: 1, lastSeq: 1 });
  });

  it("does not create the folder of a project that was removed meanwhile", () => {
    const log = logOf(openSpool(folder, runId, BOUND), 1000);
    rmSync(folder.root, { recursive: true });
    log.appendLine(line("a"));
    expect(log.spill()).toBe(false);
    expect(existsSync(folder.root)).toBe(false);
    expect(messagesOf(log.batch(1000))).toEqual(["a"]);
  });

  it("is removed at the agent's start when its run is unknown", () => {
    for (const id of [runId, ids.run()]) logOf(openSpool(folder, id, BOUND), 100).spill();
    const kept = logOf(openSpool(folder, runId, BOUND), 100);
    const other = logOf(openSpool(folder, ids.run(), BOUND), 100);
    for (const log of [kept, other]) {
      log.appendLine(line("a"));
      log.spill();
    }
    removeOtherSpools(folder, runId);
    expect(readdirSync(folder.spool)).toEqual([`${runId}.ndjson`]);
    removeOtherSpools(folder, null);
    expect(readdirSync(folder.root)).toEqual([]);
  });
});
