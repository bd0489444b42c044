import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createEventLog } from "#agent/report/event-log.ts";
import type { RunEvent } from "#contract/agent-protocol.ts";

const line = (message: string) => ({
  time: "2026-01-01T00:00:00.000Z",
  stream: "stdout" as const,
  stage: "build" as const,
  message,
});

type Act = { kind: "line" } | { kind: "stage" } | { kind: "post"; stored: boolean; heard: boolean };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Act>({ kind: "line" }) },
  fc.constant<Act>({ kind: "stage" }),
  fc.record({ kind: fc.constant("post" as const), stored: fc.boolean(), heard: fc.boolean() }),
);

describe("the events that wait for the control plane", () => {
  it("reach it once, in order, without a gap and unchanged, whichever requests and answers are lost", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), fc.integer({ min: 80, max: 600 }), (acts, size) => {
        const log = createEventLog(1, size);
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
        acts.forEach((each, index) => {
          if (each.kind === "post") return post(each.stored, each.heard);
          written.push(`${each.kind} ${index}`);
          if (each.kind === "line") log.appendLine(line(`line ${index}`));
          else log.append({ type: "stage", stage: "build" });
        });
        while (log.bytes > 0) post(true, true);
        const arrived = stored.flatMap((event) => {
          if (event.type === "output") return event.lines.map(({ message }) => message);
          return [event.type];
        });
        expect(arrived).toEqual(written.map((each) => (each.startsWith("stage") ? "stage" : each)));
      }),
    );
  });

  it("go on from the number that an earlier life of the agent has reached", () => {
    const log = createEventLog(8, 1000);
    log.append({ type: "ready" });
    expect(log.batch(1000)).toEqual([{ seq: 8, type: "ready" }]);
  });

  it("gather lines until they are sent, and not after", () => {
    const log = createEventLog(1, 10_000);
    log.appendLine(line("a"));
    log.appendLine(line("b"));
    expect(log.batch(10_000)).toHaveLength(1);
    log.appendLine(line("c"));
    expect(log.batch(10_000).map((event) => event.type === "output" && event.lines.length)).toEqual([2, 1]);
  });
});
