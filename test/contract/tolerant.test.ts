import { describe, expect, it } from "vitest";

import { RunEvents } from "#contract/agent-events.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { parseKnown } from "#contract/tolerant.ts";

const ids = createIdGenerator({ now: () => 0, randomBytes: (count) => new Uint8Array(count) });
const line = { time: "2026-01-01T00:00:00.000Z", stream: "stdout", stage: "build", message: "" };
const named = { project_id: ids.project(), run_id: ids.run() };
const posted = (events: readonly unknown[]) => ({
  ...named,
  events,
});

describe("a field that a newer peer added", () => {
  it("is removed at every depth, and the original value is not changed", () => {
    const event = { seq: 1, type: "output", lines: [{ ...line, level: 3 }], host: "web-1" };
    const value = { ...posted([event]), agent: "new" };
    const before = structuredClone(value);
    const parsed = parseKnown(RunEvents, value);
    expect(parsed).toMatchObject({
      success: true,
      data: posted([{ seq: 1, type: "output", lines: [line] }]),
    });
    expect(JSON.stringify(parsed)).not.toMatch(/level|host|agent/);
    expect(value).toEqual(before);
  });

  it("does not hide other errors", () => {
    expect(parseKnown(RunEvents, { ...posted([{ seq: 0 }]), agent: "new" }).success).toBe(false);
  });
});
