import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import worker from "#worker/main.ts";
import { TestProject } from "../../support/worker/project.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const keys = async () => (await env.LOGS.list()).objects.map(({ key }) => key);

/** Runs the schedule as it will be so many days from now. */
async function runIn(days: number): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * DAY_MS });
  try {
    await worker.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => undefined }, env);
  } finally {
    vi.useRealTimers();
  }
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the log of a deployment that has ended", () => {
  it("is kept for 90 days, and not longer", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await vi.waitFor(async () => expect(await keys()).toHaveLength(1));
    await runIn(89.9);
    expect(await keys()).toHaveLength(1);
    await runIn(90.1);
    expect(await keys()).toEqual([]);
  });
});
