import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import * as z from "zod";

import { DeliveryRows } from "#contract/endpoints/webhooks/schemas.ts";
import { onCalls } from "../../../support/worker/intercept.ts";
import { TestWebhook } from "../../../support/worker/webhook.ts";

/** As many as wait for one target at most, and as many that have ended as it keeps. */
const PENDING = 10_000;
const ENDED = 1_000;

const ATTEMPTS = JSON.stringify([{ at: 1, durationMs: 20, status: 200, problem: null, answer: "" }]);

const Cursor = z.object({ rowsRead: z.number(), rowsWritten: z.number() });

/** Gives a webhook with one delivery the most deliveries that it keeps: waiting deliveries are due in a year. */
async function fill(webhook: TestWebhook): Promise<void> {
  const year = Date.now() + 365 * 24 * 60 * 60 * 1000;
  const copy = (count: number, state: string, dueAt: number | null, attempted: boolean) =>
    [
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       INSERT INTO deliveries (event_id, event, sequence, created_at, coalesce, outcome_before, state, due_at, tries, attempt_count, attempts)
       SELECT id, json_set(event, '$.id', id), sequence, created_at, NULL, NULL, ?, ?, 0, ?, ?
       FROM (SELECT 'evt_' || printf('%02d%024d', ?, i) AS id, * FROM n, (SELECT event, sequence, created_at FROM deliveries LIMIT 1))`,
      ...[state, dueAt, attempted ? 1 : 0, attempted ? ATTEMPTS : "[]", attempted ? 1 : 2],
    ] as const;
  await runInDurableObject(webhook.outlet(), (_outlet, { storage }) => {
    storage.sql.exec(...copy(ENDED, "delivered", null, true));
    storage.sql.exec(...copy(PENDING, "pending", year, false));
  });
}

/** Counts the rows of its own storage that the Outlet reads and writes until the test ends. */
async function countRows(webhook: TestWebhook): Promise<() => { read: number; written: number }> {
  const cursors: unknown[] = [];
  const prototype = await runInDurableObject(webhook.outlet(), (_outlet, { storage }): object =>
    Object.getPrototypeOf(storage.sql),
  );
  onCalls(prototype, "exec", (_values, cursor) => cursors.push(cursor));
  return () => {
    const sums = { read: 0, written: 0 };
    for (const cursor of cursors.splice(0)) {
      const { rowsRead, rowsWritten } = Cursor.parse(cursor);
      sums.read += rowsRead;
      sums.written += rowsWritten;
    }
    return sums;
  };
}

it("a webhook with 10,000 deliveries that wait reads only what it needs of them", async () => {
  const webhook = await TestWebhook.create();
  await webhook.accepts();
  await fill(webhook);
  const rows = await countRows(webhook);
  const first = await webhook.request("/deliveries?limit=100");
  expect(rows(), "for a page").toEqual({ read: 101, written: 0 });
  const next = /<[^>]*(\/deliveries[^>]*)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  expect(DeliveryRows.parse(await (await webhook.request(next)).json()).deliveries).toHaveLength(100);
  expect(rows(), "for the next page").toEqual({ read: 101, written: 0 });
  await webhook.accepts();
  const sent = rows();
  expect(sent.read, "for an event that is sent").toBeLessThan(100);
  expect(sent.written, "for an event that is sent").toBeLessThanOrEqual(6);
  const resent = await webhook.request(`/deliveries/evt_02${"1".padStart(24, "0")}/resend`, "POST");
  expect(resent.status).toBe(200);
  expect(rows().read, "for a delivery that is sent again").toBeLessThan(100);
  await webhook.details();
  // It looks for the newest attempt among all.
  expect(rows().read, "for the webhook itself").toBeLessThan(14_000);
  await webhook.accepts();
  rows();
  expect(await webhook.details()).toMatchObject({ pending: 1_000 });
  expect(rows().read, "for the webhook itself, after another attempt").toBeLessThan(2_100);
});

it("a webhook that stays disabled holds only the newest 10,000 deliveries", async () => {
  const webhook = await TestWebhook.create();
  await webhook.accepts();
  await fill(webhook);
  expect((await webhook.request("", "PATCH", { enabled: false })).status).toBe(200);
  const newest = await webhook.accepts(100);
  expect(await webhook.details()).toMatchObject({ pending: 0, held: 1_000 });
  const held = await runInDurableObject(webhook.outlet(), (_outlet, { storage }) =>
    storage.sql.exec("SELECT count(*) AS count FROM deliveries WHERE state = 'held'").one(),
  );
  expect(held).toEqual({ count: PENDING });
  const deliveries = await webhook.deliveries();
  expect(deliveries.map(({ event_id }) => event_id)).toEqual(newest.toReversed().slice(0, deliveries.length));
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["held"]));
});
