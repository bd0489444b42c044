import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";

import { findAccountsWithEvents } from "#worker/db/schedule/due-rows.ts";
import { EventFeed } from "#worker/objects/event-feed/event-feed.ts";
import { announceEvents } from "#worker/schedule/announce-events.ts";
import { runSchedule } from "#worker/schedule/run-schedule.ts";
import { addEvents, renamed } from "../../support/worker/events.ts";
import { failCalls, onCalls } from "../../support/worker/intercept.ts";
import { rowsReadFor } from "../../support/worker/rows-read.ts";
import { createWorld } from "../../support/worker/world.ts";

const MINUTE = 60_000;

const announceIn = async (minutes: number) =>
  await runSchedule(env, { now: () => Date.now() + minutes * MINUTE }, { run: [announceEvents] });

/** Runs the part as if it were later, and counts how many feeds are woken. */
async function wakes(minutes: number): Promise<number> {
  let count = 0;
  const stop = onCalls(EventFeed.prototype, "announce", () => (count += 1));
  await announceIn(minutes);
  stop();
  return count;
}

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

it("announces the accounts with events since the last run", async () => {
  await createWorld("one");
  await createWorld("two");
  expect(await wakes(0)).toBe(2);
  expect(await wakes(60)).toBe(2);
  expect(await wakes(120)).toBe(0);
  const world = await createWorld("three");
  const late = { ...renamed(world, "a"), createdAt: Date.now() + 119 * MINUTE };
  await addEvents(world.account.id, [late]);
  expect(await wakes(180)).toBe(1);
});

it("reads only the events since then, however many there are", async () => {
  const { account } = await createWorld();
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO events (id, account_id, sequence, type, actor, data, created_at)
     SELECT 'evt_' || i, ?, i + 1000, 'account.updated', '{}', '{}', i FROM n`,
  )
    .bind(account.id)
    .run();
  const since = Date.now() - 60 * MINUTE;
  const read = await rowsReadFor(async () => {
    expect(await findAccountsWithEvents(env.DB, since, "", 25)).toEqual([account.id]);
  });
  expect(read).toBeLessThan(50);
});

it("repeats the round if a feed could not be reached", async () => {
  await createWorld("one");
  const failing = failCalls(EventFeed.prototype, "announce");
  await expect(announceIn(0)).rejects.toThrow("announce events");
  failing.end();
  expect(await wakes(60)).toBe(1);
});
