import { beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { publish, renamed, sealed } from "../../support/worker/events.ts";
import { EventReader } from "../../support/worker/event-reader.ts";
import { createWorld } from "../../support/worker/world.ts";
import { many, newest, readersAre } from "../../support/worker/event-followers.ts";

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

  it("is refused without the scope", async () => {
    const world = await createWorld();
    const { secret } = await createToken(world.account.id, { scopes: ["deployments:read"] });
    const headers = { accept: "text/event-stream" };
    expect((await call("/v1/events", { token: secret, headers })).status).toBe(403);
  });
});
