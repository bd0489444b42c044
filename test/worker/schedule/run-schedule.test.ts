import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EXPIRING_STATEMENTS } from "#worker/db/schedule/remove-expired.ts";
import type { Part, ScheduleStep, Stepped } from "#worker/schedule/part.ts";
import { limitsOf, parts, runSchedule } from "#worker/schedule/run-schedule.ts";
import { inDays, runRound, runScheduleIn } from "../../support/worker/schedule.ts";
import { recordStatements } from "../../support/worker/statements.ts";
import { createWorld } from "../../support/worker/world.ts";

const clock = { now: () => Date.now() };
const MINUTE = 60_000;

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

/** A part whose steps note where they continue. */
function partOf(
  name: string,
  step: (at: number, step: ScheduleStep) => Promise<Stepped> | Stepped,
): Part & { seen: number[] } {
  const seen: number[] = [];
  return {
    seen,
    name,
    everyMs: 60 * MINUTE,
    cost: { statements: 2, calls: 1 },
    step: async (given) => {
      const at = Number(given.from ?? 0);
      seen.push(at);
      return await step(at, given);
    },
  };
}

/** Has 10 steps in each round. */
const tenSteps = (name: string) =>
  partOf(name, (at) => ({ next: at === 9 ? null : String(at + 1), failures: 0 }));

const limits = { statements: 1_000, calls: 1_000, timeMs: MINUTE };

describe("a run of the schedule", () => {
  it("makes one statement that reads a few rows and writes none, if no round is due", async () => {
    await createWorld();
    await runScheduleIn(0);
    const statements = recordStatements();
    await runSchedule(env, clock);
    expect(statements).toHaveLength(1);
    const { meta } = await env.DB.prepare(statements[0] ?? "").all();
    expect(meta.rows_read).toBeLessThanOrEqual(parts.length);
  });

  it("repeats the steps of a part until its round is complete, and begins the next one when it is due", async () => {
    const part = tenSteps("ten");
    await runSchedule(env, clock, { run: [part], limits });
    expect(part.seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await runSchedule(env, clock, { run: [part], limits });
    expect(part.seen).toHaveLength(10);
    await inDays(57 / 24 / 60, () => runSchedule(env, clock, { run: [part], limits }));
    expect(part.seen).toHaveLength(10);
    await inDays(59 / 24 / 60, () => runSchedule(env, clock, { run: [part], limits }));
    expect(part.seen).toHaveLength(20);
  });

  it.each([
    { ...limits, statements: 9 },
    { ...limits, calls: 4 },
  ])("continues in the next run where the budget %o was used", async (few) => {
    const part = tenSteps("ten");
    await runSchedule(env, clock, { run: [part], limits: few });
    expect(part.seen).toEqual([0, 1, 2, 3]);
    await runSchedule(env, clock, { run: [part], limits: few });
    expect(part.seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("begins no step after its time", async () => {
    let now = Date.now();
    const part = partOf("slow", (at) => {
      now += 20_000;
      return { next: String(at + 1), failures: 0 };
    });
    await runSchedule(env, { now: () => now }, { run: [part], limits: { ...limits, timeMs: 45_000 } });
    expect(part.seen).toEqual([0, 1, 2]);
  });

  it("gives every part a step, however much the first one has to do", async () => {
    const all = ["one", "two", "three", "four", "five"].map((name) =>
      partOf(name, (at) => ({ next: String(at + 1), failures: 0 })),
    );
    await runSchedule(env, clock, { run: all, limits: { ...limits, statements: 12 } });
    for (const part of all) expect(part.seen.length).toBeGreaterThan(0);
  });

  it("does not wait for a part that hangs or fails before it advances the others, and reports both", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const hanging = partOf("hanging", () => new Promise(() => undefined));
    const failing = partOf("failing", () => Promise.reject(new Error("D1 is down")));
    const fine = tenSteps("ten");
    const outcome = runSchedule(env, clock, { run: [hanging, failing, fine], limits }).catch(String);
    await vi.waitFor(() => expect(fine.seen).toHaveLength(10));
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(await outcome).toContain("hanging, failing");
    vi.useRealTimers();
    const again = runSchedule(env, clock, { run: [failing, fine], limits }).catch(String);
    expect(await again).toContain("failed: failing");
    expect(failing.seen).toEqual([0, 0]);
    expect(fine.seen).toHaveLength(10);
  });

  it("gives the next round the time since which nothing has failed", async () => {
    const since: number[] = [];
    let failures = 1;
    const part = partOf("some fail", (_, step) => {
      since.push(step.since);
      return { next: null, failures };
    });
    const runAt = (now: number) =>
      runSchedule(env, { now: () => now }, { run: [part], limits }).catch(String);
    await runAt(10 * 60 * MINUTE);
    failures = 0;
    await runAt(20 * 60 * MINUTE);
    await runAt(30 * 60 * MINUTE);
    expect(since).toEqual([0, 0, 20 * 60 * MINUTE]);
  });

  it("begins again if its round is stored in another form", async () => {
    await env.DB.prepare(
      `INSERT INTO sweeps (name, position) VALUES ('lanes', '{"startedAt":1,"after":null}'), ('logs', 'logs/x'), ('ten', 'x')`,
    ).run();
    const part = tenSteps("ten");
    await runSchedule(env, clock, { run: [part], limits });
    expect(part.seen).toHaveLength(10);
  });
});

describe("the budget of a run", () => {
  it("holds the first steps of all parts on the free plan", () => {
    const { statements, calls } = limitsOf("free");
    expect(parts.reduce((sum, { cost }) => sum + cost.statements, 0)).toBeLessThanOrEqual(statements);
    expect(parts.reduce((sum, { cost }) => sum + cost.calls, 0)).toBeLessThanOrEqual(calls);
    // And the statement that reads the rounds.
    expect(statements).toBeLessThan(50);
  });

  it("deletes expired rows by the thousand", async () => {
    const { account } = await createWorld();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3500)
       INSERT INTO idempotency_keys (id, account_id, fingerprint, seed, created_at) SELECT 'key' || i, ?, '', '', 0 FROM n`,
    )
      .bind(account.id)
      .run();
    const expired = parts.find(({ name }) => name === "remove expired rows");
    if (expired === undefined) throw new Error("no such part");
    const statements = recordStatements();
    expect(await runRound(expired)).toBe(0);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM idempotency_keys").first("n");
    expect(left).toBe(0);
    // All once, and the statements of the keys three times more.
    expect(statements.filter((text) => text.startsWith("delete") || text.startsWith("update"))).toHaveLength(
      EXPIRING_STATEMENTS + 3,
    );
  });
});
