import { env } from "cloudflare:workers";
import { vi } from "vitest";

import worker from "#worker/main.ts";
import type { Clock, Part } from "#worker/schedule/part.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const now: Clock = { now: () => Date.now() };

/** Runs `act` as if it were this many days later. Objects in R2 are older by then, too. */
export async function inDays<Value>(days: number, job: () => Promise<Value>): Promise<Value> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * DAY_MS });
  try {
    return await job();
  } finally {
    vi.useRealTimers();
  }
}

/** Runs the Worker's cron trigger as if it were this many days later, and the rounds of all parts of the schedule were due. */
export async function runScheduleIn(days: number): Promise<void> {
  await env.DB.prepare("DELETE FROM sweeps").run();
  await runDueIn(days);
}

/** Runs the Worker's cron trigger as if it were this many days later, after the rounds that have ended. */
export async function runDueIn(days: number): Promise<void> {
  await inDays(days, async () => {
    await worker.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => undefined }, env);
  });
}

/** Runs all steps of one part of the schedule. @returns how many failures it noted */
export async function runRound(part: Part, clock = now, since = 0): Promise<number> {
  const startedAt = clock.now();
  let failures = 0;
  for (let from: string | null = null; ;) {
    const stepped = await part.step({ env, clock, from, startedAt, since });
    failures += stepped.failures;
    if (stepped.next === null) return failures;
    from = stepped.next;
  }
}
