import { env } from "cloudflare:workers";
import { and, eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";

import { AccountRows } from "#worker/db/account-rows.ts";
import { changeWrites, type NewEvent } from "#worker/db/changes/change-writes.ts";
import { storedChange, storedChangeWrites } from "#worker/db/changes/stored-change.ts";
import { auditEntries, events } from "#worker/db/event-tables.ts";
import { projects } from "#worker/db/schema.ts";
import { ids } from "../../support/worker/account.ts";
import { renamed } from "../../support/worker/events.ts";
import { createWorld, type World } from "../../support/worker/world.ts";

/** Writes events as the outbox of a Durable Object does. */
const eventWrites = (rows: AccountRows, added: readonly NewEvent[]) =>
  storedChangeWrites(
    rows,
    added.map((event) => storedChange(event, null)),
  );

const actor = { type: "token", id: "tok_1", name: "test" } as const;

function entryOf(event: NewEvent) {
  const origin = { ip: null, requestId: "req_1", action: "updateProject", outcome: "done" } as const;
  return { id: ids.auditEntry(), createdAt: event.createdAt, actor, ...origin };
}

async function rename(world: World, from: string, to: string) {
  const rows = new AccountRows(env.DB, world.account.id);
  const event = renamed(world, to);
  const where = and(eq(projects.id, world.projectId), eq(projects.name, from));
  const change = { event, audit: entryOf(event) };
  return await rows.runTogether([rows.update(projects, { name: to }, where), ...changeWrites(rows, change)]);
}

const rowsOf = ({ account }: World) => new AccountRows(env.DB, account.id);
const sequencesOf = async (world: World) => {
  const orderBy = [sql`${events.sequence}`];
  const found = await rowsOf(world).select({ sequence: events.sequence, data: events.data }, events, {
    orderBy,
  });
  return found.map(({ sequence }) => sequence);
};

it("records an event and an audit entry in the batch of the change", async () => {
  const world = await createWorld("shop");
  const before = (await sequencesOf(world)).at(-1) ?? 0;
  expect(await rename(world, "shop", "store")).toEqual([1, 1, 1]);
  expect(await rename(world, "store", "market")).toEqual([1, 1, 1]);
  expect((await sequencesOf(world)).slice(-2)).toEqual([before + 1, before + 2]);
  const entries = await rowsOf(world).select({ action: auditEntries.action }, auditEntries, {});
  expect(entries.filter(({ action }) => action === "updateProject")).toHaveLength(2);
});

it("records nothing if the statement changed nothing", async () => {
  const world = await createWorld("shop");
  const before = await sequencesOf(world);
  expect(await rename(world, "other", "store")).toEqual([0, 0, 0]);
  expect(await sequencesOf(world)).toEqual(before);
});

it("adds events once, in their order, however often they are written", async () => {
  const world = await createWorld("shop");
  const rows = rowsOf(world);
  const before = (await sequencesOf(world)).at(-1) ?? 0;
  const [first, second] = [renamed(world, "a"), renamed(world, "b")];
  await rows.runTogether(eventWrites(rows, [first]));
  await rows.runTogether(eventWrites(rows, [first, second]));
  const found = await rows.select({ id: events.id, sequence: events.sequence }, events, {});
  const added = found.filter(({ sequence }) => sequence > before).toSorted((a, b) => a.sequence - b.sequence);
  expect(added).toEqual([
    { id: first.id, sequence: before + 1 },
    { id: second.id, sequence: before + 2 },
  ]);
});

it("numbers the events of each account by itself", async () => {
  const worlds = [await createWorld("shop"), await createWorld("blog")];
  for (const world of worlds) {
    const rows = rowsOf(world);
    await rows.runTogether(eventWrites(rows, [renamed(world, "a")]));
  }
  const [one = [], other = []] = await Promise.all(worlds.map((world) => sequencesOf(world)));
  expect(one).toEqual(other);
});
