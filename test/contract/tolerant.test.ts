import { describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { RunEvents } from "#contract/agent-events.ts";
import { growing, textOf, unknownOf } from "#contract/growing.ts";
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

  it("is removed inside each kind of schema", () => {
    const Inner = z.strictObject({ a: z.int() });
    const schemas: Record<string, z.ZodMiniType> = {
      array: z.array(Inner),
      record: z.record(z.string(), Inner),
      tuple: z.tuple([z.string(), Inner]),
      union: z.union([z.literal("none"), Inner]),
      optional: z.optional(z.nullable(Inner)),
      defaulted: z._default(Inner, { a: 0 }),
      piped: z.pipe(
        Inner,
        z.transform(({ a }) => a),
      ),
      extended: z.extend(Inner, { b: z.optional(Inner) }),
    };
    const old = { a: 1 };
    const grown = { a: 1, added: true };
    const values = (inner: object): Record<string, unknown> => ({
      array: [inner],
      record: { x: inner },
      tuple: ["x", inner],
      union: inner,
      optional: inner,
      defaulted: inner,
      piped: inner,
      extended: { ...inner, b: inner },
    });
    for (const [name, schema] of Object.entries(schemas))
      expect([name, parseKnown(schema, values(grown)[name])]).toEqual([
        name,
        parseKnown(schema, values(old)[name]),
      ]);
    expect(parseKnown(Inner, grown)).toEqual({ success: true, data: old });
  });

  it("does not hide other errors", () => {
    expect(parseKnown(RunEvents, { ...posted([{ seq: 0 }]), agent: "new" }).success).toBe(false);
    const Checked = z
      .strictObject({ from: z.int(), to: z.int() })
      .check(z.refine(({ from, to }) => from <= to));
    expect(parseKnown(Checked, { from: 2, to: 1, added: true }).success).toBe(false);
  });

  it("does not remove fields that the schema accepts by any name", () => {
    const value = { known: 1, other: { any: 1 } };
    expect(parseKnown(z.looseObject({ known: z.int() }), value)).toEqual({ success: true, data: value });
  });
});

describe("a value that a newer peer added", () => {
  const Kind = z.enum(["token", "session"]);
  const Row = z.strictObject({ kind: growing(Kind), was: z.nullable(growing(Kind)), asked: Kind });
  const row = { kind: "token", was: null, asked: "token" };

  it("is kept as it is where the schema may grow", () => {
    const value = { ...row, kind: "workload", was: "person.v2" };
    expect(parseKnown(Row, value)).toEqual({ success: true, data: value });
    expect(parseKnown(z.array(growing(Kind)), ["session", "new"])).toEqual({
      success: true,
      data: ["session", "new"],
    });
  });

  it("is refused elsewhere, and by strict readers", () => {
    expect(parseKnown(Row, { ...row, asked: "workload" }).success).toBe(false);
    expect(Row.safeParse({ ...row, kind: "workload" }).success).toBe(false);
  });

  it.each([
    ["no text", 7],
    ["too long", "x".repeat(101)],
    ["no name", "<b>"],
    ["empty", ""],
  ])("is refused if it is no name of a value: %s", (_, kind) => {
    expect(parseKnown(Row, { ...row, kind }).success).toBe(false);
  });

  const Hold = growing(
    z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("freeze"), until: z.string() }),
      z.strictObject({ type: z.enum(["approval", "vote"]), by: growing(Kind) }),
    ]),
    z.object({ type: unknownOf(["freeze", "approval", "vote"]) }),
  );

  it("can be a member of a union, of which the known fields are kept", () => {
    expect(parseKnown(Hold, { type: "quota", limit: 3 })).toEqual({ success: true, data: { type: "quota" } });
    const vote = { type: "vote", by: "workload" };
    expect(parseKnown(Hold, { ...vote, added: 1 })).toEqual({ success: true, data: vote });
    expect(parseKnown(Hold, { type: "freeze" }).success).toBe(false);
  });

  it("is shown as it is", () => {
    const parsed = parseKnown(growing(Kind), "workload");
    const texts = { token: "Token", session: "Session" };
    expect(parsed.success && textOf(texts, parsed.data)).toBe("workload");
    expect(textOf(texts, "session")).toBe("Session");
  });
});
