import { env } from "cloudflare:workers";
import { vi } from "vitest";

import worker from "#worker/main.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Runs `act` as if it were this many days later. Objects in R2 are older by then, too. */
export async function inDays<Value>(days: number, job: () => Promise<Value>): Promise<Value> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * DAY_MS });
  try {
    return await job();
  } finally {
    vi.useRealTimers();
  }
}

/** Runs the Worker's cron trigger as if it were this many days later. */
export async function runScheduleIn(days: number): Promise<void> {
  await inDays(days, async () => {
    await worker.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => undefined }, env);
  });
}
