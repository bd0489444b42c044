import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { addEvents, publish, renamed, sealed } from "../../../support/worker/events.ts";
import { EventReader } from "../../../support/worker/event-reader.ts";
import { createWorld } from "../../../support/worker/world.ts";
import { feedOf, many, newest, readersAre } from "../../../support/worker/event-followers.ts";

beforeEach(() => {
  // Hides the log line about the feed that dies.
  vi.spyOn(console, "warn").mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

describe("following events", () => {
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
});
