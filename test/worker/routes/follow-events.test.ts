import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { AccountId } from "#contract/ids.ts";
import { createToken } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { addEvents, publish, renamed, sealed } from "../../support/worker/events.ts";
import { EventReader } from "../../support/worker/event-reader.ts";
import { createWorld, type World } from "../../support/worker/world.ts";

const feedOf = (id: AccountId) => env.EVENT_FEED.getByName(id);
const many = (world: World, count: number) =>
  Array.from({ length: count }, (_, at) => renamed(world, `name ${at}`));

async function newest({ account }: World): Promise<number> {
  const { events } = await (
    await call("/v1/events?limit=1", { token: account.token })
  ).json<{ events: { data: { sequence: number } }[] }>();
  return events[0]?.data.sequence ?? 0;
}

/** Waits until the isolates that read for clients have opened this many sockets to the feed. */
async function readersAre(id: AccountId, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const open = await runInDurableObject(feedOf(id), (_feed, ctx) => ctx.getWebSockets().length);
    expect(open).toBe(count);
  });
}

beforeEach(() => {
  // Hides the log line about the feed that dies.
  vi.spyOn(console, "warn").mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

describe("following events", () => {
  it("sends new events as they are announced, and none of before", async () => {
    const world = await createWorld();
    const reader = await EventReader.follow(world.account);
    const [one, two] = [renamed(world, "a"), renamed(world, "b")];
    for (const event of [one, two]) {
      await publish(world.account.id, [event]);
      await reader.sees(event);
    }
    expect(reader.ids).toEqual([one.id, two.id]);
    await reader.leave();
    await readersAre(world.account.id, 0);
  });

  it("continues after Last-Event-ID, with every event once and in order", async () => {
    const world = await createWorld();
    const before = await newest(world);
    const events = many(world, 250);
    await publish(world.account.id, events.slice(0, 240));
    const reader = await EventReader.follow({ ...world.account, after: before });
    await publish(world.account.id, events.slice(240));
    await reader.sees(events.at(-1) ?? sealed());
    expect(reader.ids).toEqual(events.map(({ id }) => id));
    await reader.leave();
  });

  it("sends only the types of the query, and only what a limited token can see", async () => {
    const world = await createWorld();
    const limited = await createToken(world.account.id, {
      scopes: ["events:read"],
      projectIds: [world.projectId],
    });
    const typed = await EventReader.follow({ ...world.account, query: "?type=audit.*" });
    const visible = await EventReader.follow({ token: limited.secret });
    const added = [renamed(world, "a"), sealed(), renamed(world, "b"), sealed()] as const;
    for (const event of added) await publish(world.account.id, [event]);
    await typed.sees(added[3]);
    await visible.sees(added[2]);
    expect(typed.ids).toEqual([added[1].id, added[3].id]);
    expect(visible.ids).toEqual([added[0].id, added[2].id]);
    await Promise.all([typed.leave(), visible.leave()]);
  });

  it("misses nothing when the feed is evicted or restarts", async () => {
    const world = await createWorld();
    const reader = await EventReader.follow(world.account);
    const [one, two, three] = [renamed(world, "a"), renamed(world, "b"), renamed(world, "c")];
    await publish(world.account.id, [one]);
    await reader.sees(one);
    await evictDurableObject(feedOf(world.account.id));
    await publish(world.account.id, [two]);
    await reader.sees(two);
    await abortAllDurableObjects();
    await publish(world.account.id, [three]);
    await reader.sees(three);
    expect(reader.ids).toEqual([one.id, two.id, three.id]);
    await reader.leave();
  });

  it("reads nothing for a client that does not read, which gets everything when it continues", async () => {
    const world = await createWorld();
    const reader = await EventReader.follow(world.account);
    const [first, ...rest] = many(world, 30);
    await publish(world.account.id, [first ?? sealed()]);
    await reader.sees(first ?? sealed());
    reader.pause();
    for (const event of rest) await publish(world.account.id, [event]);
    // The read that was pending gets the next events, and then nobody reads.
    await vi.waitFor(() => expect(reader.isReading).toBe(false));
    const seen = reader.ids.length;
    await scheduler.wait(600);
    expect(reader.ids).toHaveLength(seen);
    void reader.readOn();
    await reader.sees(rest.at(-1) ?? sealed());
    expect(reader.ids).toHaveLength(30);
    await reader.leave();
  });

  it("ends after 25 reads, before the platform's limit, and continues where it ended", async () => {
    const world = await createWorld();
    const after = await newest(world);
    const events = many(world, 4_500);
    await addEvents(world.account.id, events);
    const reader = await EventReader.follow({ ...world.account, after });
    await reader.closed();
    const rest = await EventReader.follow({ ...world.account, after: reader.numbers.at(-1) ?? 0 });
    await rest.sees(events.at(-1) ?? sealed());
    expect([...reader.ids, ...rest.ids]).toEqual(events.map(({ id }) => id));
    await rest.leave();
  });

  it("begins at the newest event if the database was restored to an earlier state", async () => {
    const world = await createWorld();
    const reader = await EventReader.follow({ ...world.account, after: 1_000_000 });
    await readersAre(world.account.id, 1);
    const event = renamed(world, "a");
    await publish(world.account.id, [event]);
    await reader.sees(event);
    expect(reader.ids).toEqual([event.id]);
    await reader.leave();
  });

  it("is refused without the scope", async () => {
    const world = await createWorld();
    const { secret } = await createToken(world.account.id, { scopes: ["deployments:read"] });
    const headers = { accept: "text/event-stream" };
    expect((await call("/v1/events", { token: secret, headers })).status).toBe(403);
  });
});
