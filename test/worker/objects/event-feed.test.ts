import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { AccountId, WebhookId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import { FeedReaders } from "#worker/following/events/feed-readers.ts";
import { FeedStore } from "#worker/objects/event-feed/feed-store.ts";
import { catchUp, type FeedContext, handOverNews } from "#worker/objects/event-feed/feed-work.ts";
import type { AcceptEvents } from "#worker/objects/event-feed/hand-over.ts";
import { ids } from "../../support/worker/account.ts";
import { addEvents, renamed, sealed } from "../../support/worker/events.ts";
import { createWorld, type World } from "../../support/worker/world.ts";

/** Adds a webhook to D1, as it was a minute ago. */
async function addWebhook(accountId: AccountId, events: readonly string[] = ["*"]): Promise<WebhookId> {
  const rows = new AccountRows(env.DB, accountId);
  const id = ids.webhook();
  const createdAt = Date.now() - 60_000;
  const shown = {
    kind: "standard",
    name: "test",
    shownUrl: "https://receiver.test/",
    state: "active",
  } as const;
  await rows.run(rows.insert(webhooks, { id, ...shown, events: [...events], createdAt }));
  return id;
}

/** Stands for the Outlets: it stores what each gets, and can refuse. */
class Outlets {
  readonly accepted = new Map<WebhookId, string[]>();
  readonly refusing = new Set<WebhookId>();

  readonly accept: AcceptEvents = async (id, events) => {
    if (this.refusing.has(id)) throw new Error("the outlet is down");
    const before = this.accepted.get(id) ?? [];
    const added = events.map((event) => event.id).filter((event) => !before.includes(event));
    this.accepted.set(id, [...before, ...added]);
  };
}

/** Runs `work` in the account's feed: its storage, D1 and these Outlets. */
async function inFeed<Value>(
  { account }: World,
  outlets: Outlets,
  work: (feed: FeedContext) => Promise<Value>,
): Promise<Value> {
  return await runInDurableObject(env.EVENT_FEED.getByName(account.id), async (_feed, ctx) => {
    const store = new FeedStore(ctx.storage, account.id);
    const readers = new FeedReaders(ctx, 0);
    const rows = new AccountRows(env.DB, account.id);
    return await work({ rows, store, readers, accept: outlets.accept });
  });
}

const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
const many = (world: World, count: number) =>
  Array.from({ length: count }, (_, at) => renamed(world, `name ${at}`));

beforeEach(() => {
  for (const name of ["error", "warn"] as const) vi.spyOn(console, name).mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

describe("an event feed", () => {
  it("hands each webhook the events that it wants, once and in order", async () => {
    const world = await createWorld();
    const outlets = new Outlets();
    const [all, some] = [
      await addWebhook(world.account.id),
      await addWebhook(world.account.id, ["audit.sealed"]),
    ];
    await inFeed(world, outlets, handOverNews);
    const before = outlets.accepted.get(all)?.length ?? 0;
    const events = [...many(world, 450), sealed()];
    await addEvents(world.account.id, events);
    expect(await inFeed(world, outlets, handOverNews)).toMatchObject({ hasMore: false });
    expect(await inFeed(world, outlets, handOverNews)).toMatchObject({ hasMore: false });
    expect(outlets.accepted.get(all)?.slice(before)).toEqual(idsOf(events));
    expect(outlets.accepted.get(some)).toEqual(idsOf(events.slice(-1)));
  });

  it("hands over again what it could not note, which the Outlets skip", async () => {
    const world = await createWorld();
    const outlets = new Outlets();
    const id = await addWebhook(world.account.id);
    const events = many(world, 3);
    await inFeed(world, outlets, handOverNews);
    const before = outlets.accepted.get(id)?.length ?? 0;
    await addEvents(world.account.id, events);
    await inFeed(world, outlets, async (feed) => {
      // The isolate dies after the Outlets have answered.
      vi.spyOn(feed.store, "handedOver").mockImplementation(() => {
        throw new Error("killed");
      });
      await expect(handOverNews(feed)).rejects.toThrow("killed");
    });
    await inFeed(world, outlets, handOverNews);
    expect(outlets.accepted.get(id)?.slice(before)).toEqual(idsOf(events));
  });

  it("does not wait for a webhook that is down, and hands it everything later, in order", async () => {
    const world = await createWorld();
    const outlets = new Outlets();
    const [down, up] = [await addWebhook(world.account.id), await addWebhook(world.account.id)];
    await inFeed(world, outlets, handOverNews);
    const before = outlets.accepted.get(down)?.length ?? 0;
    outlets.refusing.add(down);
    const events = many(world, 250);
    for (const event of events.slice(0, 2)) {
      await addEvents(world.account.id, [event]);
      await inFeed(world, outlets, handOverNews);
    }
    await addEvents(world.account.id, events.slice(2));
    await inFeed(world, outlets, handOverNews);
    expect(outlets.accepted.get(up)?.slice(before)).toEqual(idsOf(events));
    await expect(inFeed(world, outlets, catchUp)).rejects.toThrow("1 webhooks");

    outlets.refusing.clear();
    // It still lacks earlier events, so a new one waits behind them.
    const last = renamed(world, "last");
    await addEvents(world.account.id, [last]);
    await inFeed(world, outlets, handOverNews);
    expect(outlets.accepted.get(down)?.slice(before)).toEqual([]);
    while ((await inFeed(world, outlets, async ({ store }) => store.behind())).length > 0)
      await inFeed(world, outlets, catchUp);
    expect(outlets.accepted.get(down)?.slice(before)).toEqual([...idsOf(events), last.id]);
  });

  it("lets a webhook catch up, however many others are down", async () => {
    const world = await createWorld();
    const outlets = new Outlets();
    for (let webhook = 0; webhook < 45; webhook += 1)
      outlets.refusing.add(await addWebhook(world.account.id));
    const up = await addWebhook(world.account.id);
    outlets.refusing.add(up);
    const event = renamed(world, "a");
    await addEvents(world.account.id, [event]);
    await inFeed(world, outlets, handOverNews);
    outlets.refusing.delete(up);
    // The feed's object is a new one each time: which webhook's turn it is must be stored.
    for (let turn = 0; turn < 3; turn += 1)
      await expect(inFeed(world, outlets, catchUp)).rejects.toThrow("do not accept events");
    expect(outlets.accepted.get(up)?.at(-1)).toBe(event.id);
  });

  it("loses nothing if new events are handed over while a webhook catches up", async () => {
    const world = await createWorld();
    const outlets = new Outlets();
    const id = await addWebhook(world.account.id);
    outlets.refusing.add(id);
    const [one, two] = [renamed(world, "one"), renamed(world, "two")];
    await addEvents(world.account.id, [one]);
    await inFeed(world, outlets, handOverNews);
    outlets.refusing.clear();
    await addEvents(world.account.id, [two]);
    await inFeed(world, outlets, async (feed) => {
      const during = { ...feed, accept: vi.fn(feed.accept) };
      during.accept.mockImplementationOnce(async (...taken) => {
        await handOverNews(feed);
        await feed.accept(...taken);
      });
      await catchUp(during);
    });
    await inFeed(world, outlets, catchUp);
    expect(outlets.accepted.get(id)?.slice(-2)).toEqual([one.id, two.id]);
  });

  it("drops what a deleted webhook lacks", async () => {
    const world = await createWorld();
    const outlets = new Outlets();
    const id = await addWebhook(world.account.id);
    outlets.refusing.add(id);
    await inFeed(world, outlets, handOverNews);
    await env.DB.prepare("DELETE FROM webhooks WHERE id = ?").bind(id).run();
    await inFeed(world, outlets, catchUp);
    expect(await inFeed(world, outlets, async ({ store }) => store.behind())).toEqual([]);
  });

  it("hands over events that got numbers again after a restore of the database", async () => {
    const world = await createWorld();
    const outlets = new Outlets();
    const id = await addWebhook(world.account.id);
    const kept = many(world, 3);
    await addEvents(world.account.id, kept);
    const undone = many(world, 5);
    await addEvents(world.account.id, undone);
    await inFeed(world, outlets, handOverNews);
    const isUndone = undone.map(() => "?").join(", ");
    await env.DB.prepare(`DELETE FROM events WHERE id IN (${isUndone})`)
      .bind(...idsOf(undone))
      .run();
    const added = many(world, 2);
    await addEvents(world.account.id, added);
    await inFeed(world, outlets, handOverNews);
    const taken = outlets.accepted.get(id) ?? [];
    const all = idsOf([...kept, ...undone, ...added]);
    expect(taken.filter((one) => all.includes(one))).toEqual(all);
    expect(new Set(taken).size).toBe(taken.length);
  });

  it("tries again by its alarm if D1 does not answer", async () => {
    const world = await createWorld();
    const feed = env.EVENT_FEED.getByName(world.account.id);
    await addEvents(world.account.id, [renamed(world, "a")]);
    await runInDurableObject(feed, async (instance, ctx) => {
      vi.spyOn(AccountRows.prototype, "selectBoth").mockRejectedValueOnce(new Error("D1 is down"));
      await expect(instance.announce()).rejects.toThrow("D1 is down");
      expect(await ctx.storage.getAlarm()).not.toBeNull();
      await instance.alarm();
      const { sequence } = new FeedStore(ctx.storage, world.account.id).cursor();
      expect(sequence).toBeGreaterThan(0);
    });
  });
});
