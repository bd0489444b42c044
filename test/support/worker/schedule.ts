import { env } from "cloudflare:workers";
import { vi } from "vitest";

import worker from "#worker/main.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Does something as if it were so many days later; what R2 holds is as much older then. */
export async function inDays<Value>(days: number, job: () => Promise<Value>): Promise<Value> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * DAY_MS });
  try {
    return await job();
  } finally {
    vi.useRealTimers();
  }
}

/** Has the Worker do what its cron trigger does, so many days from now. */
export async function runScheduleIn(days: number): Promise<void> {
  await inDays(days, async () => {
    await worker.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => undefined }, env);
  });
}
