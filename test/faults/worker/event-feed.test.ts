import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { EventReader } from "../../support/worker/event-reader.ts";
import { addEvents, publish, sealed } from "../../support/worker/events.ts";
import { Faults, kill, kindsOfPoints, type ObjectOf, setUpForFaults } from "../../support/worker/faults.ts";
import { recordedEvents } from "../../support/worker/recorded.ts";
import { createLongLivedAccount, TestWebhook } from "../../support/worker/webhook.ts";

setUpForFaults();

const TYPE = "audit.sealed";

async function accountWithWebhooks(count: number) {
  const account = await createLongLivedAccount();
  const { id, token } = account;
  const webhooks: TestWebhook[] = [];
  while (webhooks.length < count) webhooks.push(await TestWebhook.create({ events: [TYPE] }, account));
  const feed = () => env.EVENT_FEED.getByName(id);
  const objects: ObjectOf[] = [feed, ...webhooks.map(({ outlet }) => outlet)];
  return { id, token, webhooks, feed, objects };
}

async function pass(minutes: number, objects: readonly ObjectOf[]): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    vi.setSystemTime(Date.now() + 60_001);
    for (const object of objects) await runDurableObjectAlarm(object()).catch(() => undefined);
  }
}

/** The newest events that the webhook's target has got, the oldest first. */
async function delivered(webhook: TestWebhook, count: number): Promise<string[]> {
  const deliveries = (await webhook.deliveries()).filter(({ state }) => state === "delivered");
  return deliveries
    .slice(0, count)
    .map(({ event_id: id }) => id)
    .toReversed();
}

describe("events that are announced while any call fails", () => {
  it("reach each webhook once and in order, and a follower that reconnects", async () => {
    const faults = new Faults();
    const kindAt = kindsOfPoints();
    const { id, token, webhooks, feed, objects } = await accountWithWebhooks(2);
    for (let at = -1, last = 0; ; at += 1) {
      const follow = async (after: number) =>
        await EventReader.follow({ token, query: `?type=${TYPE}`, after });
      const first = await follow(last);
      const kind = kindAt(at);
      faults.count(at, kind, objects);
      await Promise.allSettled([
        publish(id, [sealed(), sealed()]),
        addEvents(id, [sealed(), sealed()]).then(async () => await feed().announce()),
      ]);
      await pass(2, objects);
      const calls = faults.stop();
      const where = `${kind} at ${at}, ${calls[at]}`;
      // As after the account's next event: the requests above do not announce theirs again.
      await publish(id, [sealed()]);
      await pass(1, objects);
      await first.leave();
      const second = await follow(first.numbers.at(-1) ?? last);
      const added = (await recordedEvents(id)).filter(
        ({ type, data }) => type === TYPE && data.sequence > last,
      );
      const ids = added.map((event) => event.id);
      await vi.waitFor(() => expect([...first.ids, ...second.ids], where).toEqual(ids));
      await second.leave();
      expect(ids.length, where).toBeGreaterThan(0);
      for (const webhook of webhooks)
        await vi.waitFor(async () => expect(await delivered(webhook, ids.length), where).toEqual(ids));
      last = added.at(-1)?.data.sequence ?? last;
      if (calls.length <= at) break;
    }
  });

  it("are handed over by the alarm if the feed dies after a webhook did not accept them", async () => {
    const { id, webhooks, feed, objects } = await accountWithWebhooks(1);
    const events = [sealed(), sealed()];
    await addEvents(id, events);
    const faults = new Faults();
    faults.disable("outlet");
    await feed().announce();
    await kill(feed);
    faults.enable("outlet");
    await pass(2, objects);
    for (const webhook of webhooks)
      expect(await delivered(webhook, 9)).toEqual(events.map((event) => event.id));
  });
});
