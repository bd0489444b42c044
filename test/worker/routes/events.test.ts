import { expect, it } from "vitest";

import { Event } from "#contract/endpoints/events/schemas.ts";
import { Events } from "#contract/endpoints/events/endpoints.ts";
import { createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { addEvents, renamed, sealed } from "../../support/worker/events.ts";
import { createWorld } from "../../support/worker/world.ts";

const list = async (query: string, token: string) =>
  Events.parse(await (await call(`/v1/events${query}`, { token })).json());

it("lists events newest first, in pages", async () => {
  const world = await createWorld();
  const { token } = world.account;
  await addEvents(world.account.id, [renamed(world, "a"), renamed(world, "b"), renamed(world, "c")]);
  const first = await list("?type=project.updated&limit=2", token);
  const second = await list(`?type=project.updated&limit=2&cursor=${first.next_cursor}`, token);
  const names = [...first.events, ...second.events].map((event) =>
    event.type === "project.updated" ? event.data.project.name : null,
  );
  expect(names.slice(0, 3)).toEqual(["c", "b", "a"]);
  expect(second.next_cursor).toBeNull();
});

it("filters by types, by patterns of types and by project", async () => {
  const world = await createWorld();
  const { token } = world.account;
  await addEvents(world.account.id, [renamed(world, "a"), sealed()]);
  const types = async (query: string) => (await list(query, token)).events.map(({ type }) => type);
  expect(await types("?type=audit.*")).toEqual(["audit.sealed"]);
  expect((await types("?type=audit.sealed,project.updated")).slice(0, 2)).toEqual([
    "audit.sealed",
    "project.updated",
  ]);
  expect(await types(`?type=project.*,audit.*&project_id=${world.projectId}`)).not.toContain("audit.sealed");
  const response = await call("/v1/events?type=deployment.lvie", { token });
  expect(await problemOf(response)).toMatchObject({
    status: 422,
    errors: [
      {
        pointer: "?type",
        message: "must be a type of event, such as deployment.live, or *. Did you mean deployment.live?",
      },
    ],
  });
});

it("gives an event with its number and who caused it", async () => {
  const world = await createWorld();
  const { token } = world.account;
  const event = renamed(world, "store");
  await addEvents(world.account.id, [event]);
  const found = Event.parse(await (await call(`/v1/events/${event.id}`, { token })).json());
  expect(found).toMatchObject({
    id: event.id,
    type: "project.updated",
    timestamp: new Date(event.createdAt).toISOString(),
    data: { ...event.data, actor: event.actor, sequence: expect.any(Number) },
  });
});

it("shows a token that is limited to projects only their events", async () => {
  const world = await createWorld();
  const other = await createWorld("other");
  const hidden = sealed();
  await addEvents(world.account.id, [renamed(world, "a"), hidden]);
  const scopes = ["events:read"] as const;
  const limited = await createToken(world.account.id, { scopes, projectIds: [world.projectId] });
  const { events } = await list("", limited.secret);
  expect(events.length).toBeGreaterThan(0);
  for (const { data } of events) expect(data).toMatchObject({ project: { id: world.projectId } });
  expect((await call(`/v1/events/${hidden.id}`, { token: limited.secret })).status).toBe(404);
  expect((await call(`/v1/events/${hidden.id}`, { token: other.account.token })).status).toBe(404);
});
