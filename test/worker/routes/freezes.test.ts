import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";
import { createFreeze, friday } from "../../support/worker/freezes.ts";

const hours = (count: number) => new Date(Date.now() + count * 60 * 60_000).toISOString();
const once = (from: number, to: number) => ({ type: "once", from: hours(from), to: hours(to) });

describe("freezes", () => {
  it("can be created, read, changed and deleted", async () => {
    const world = await copyWorld();
    const { token } = world.account;
    const response = await createFreeze(world, { name: "Friday evening", times: friday });
    expect(response.status).toBe(201);
    const made: { id: string } = await response.json();
    expect(made).toMatchObject({ name: "Friday evening", project_id: null, times: friday });
    const path = `/v1/freezes/${made.id}`;
    expect(response.headers.get("location")).toBe(path);
    const now = once(-1, 5);
    const changed = await call(path, { method: "PATCH", token, body: { times: now } });
    expect(await changed.json()).toMatchObject({
      name: "Friday evening",
      times: now,
      active: true,
      window: { from: now.from, until: now.to },
    });
    expect(await (await call(path, { token })).json()).toMatchObject({ id: made.id, active: true });
    expect((await call(path, { method: "DELETE", token })).status).toBe(204);
    expect((await call(path, { token })).status).toBe(404);
  });

  it("say who has created them: the token, and the person if it is a member's", async () => {
    const world = await copyWorld();
    const { id: tokenId, secret } = await createToken(world.account.id, { name: "CI" });
    const { person } = world;
    const body = { name: "Friday", times: friday };
    const byToken = await createFreeze(world, body, secret);
    expect(await byToken.json()).toMatchObject({ created_by: { type: "token", id: tokenId, name: "CI" } });
    const byAda = Freeze.parse(await (await createFreeze(world, body, person.token)).json());
    expect(byAda.created_by).toMatchObject({ name: "Ada", member: { id: person.id, name: "Ada" } });
    const changed = await call(`/v1/freezes/${byAda.id}`, {
      ...{ method: "PATCH", token: secret, body: { name: "Weekend" } },
    });
    expect(await changed.json()).toMatchObject({ name: "Weekend", created_by: { name: "Ada" } });
    await env.DB.prepare("UPDATE freezes SET created_by = NULL").run();
    const older = await call(`/v1/freezes/${byAda.id}`, { token: secret });
    expect(await older.json()).toMatchObject({ created_by: null });
  });

  it("keep both of two changes at the same time", async () => {
    const world = await copyWorld();
    const { token } = world.account;
    const made: { id: string } = await (await createFreeze(world, { name: "Friday", times: friday })).json();
    const path = `/v1/freezes/${made.id}`;
    const times = once(-1, 5);
    const bodies = [{ name: "Release" }, { times }];
    const changed = await Promise.all(bodies.map((body) => call(path, { method: "PATCH", token, body })));
    expect(changed.map(({ status }) => status)).toEqual([200, 200]);
    expect(await (await call(path, { token })).json()).toMatchObject({ name: "Release", times });
  });

  it("are not over as long as they lie ahead, however far", async () => {
    const world = await copyWorld();
    const times = once(20_000, 20_048);
    const response = await createFreeze(world, { name: "Holidays", times });
    expect(await response.json()).toMatchObject({
      active: false,
      window: { from: times.from, until: times.to },
    });
  });

  it("are refused with times that cannot be", async () => {
    const world = await copyWorld();
    const refused: [unknown, string][] = [
      [once(3, 2), "/times/to"],
      [once(-3, -2), "/times/to"],
      [{ type: "once", from: "2026-12-24 18:00", to: hours(9000) }, "/times/from"],
      [{ ...friday, timezone: "Europe/Atlantis" }, "/times/timezone"],
      [{ ...friday, from: "24:00" }, "/times/from"],
      [{ ...friday, days: [] }, "/times/days"],
    ];
    for (const [times, pointer] of refused) {
      const response = await createFreeze(world, { name: "x", times });
      expect(response.status).toBe(422);
      expect(await problemOf(response)).toMatchObject({ errors: [{ pointer }] });
    }
  });

  it("of the whole account are neither seen nor made by a token that is limited to projects", async () => {
    const world = await copyWorld();
    const { secret } = await createToken(world.account.id, { projectIds: [world.projectId] });
    const refused = await createFreeze(world, { name: "all", times: friday }, secret);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([403, "insufficient_scope"]);
    await createFreeze(world, { name: "all", times: friday });
    const own = await createFreeze(
      world,
      { name: "own", project_id: world.projectId, times: friday },
      secret,
    );
    expect(own.status).toBe(201);
    const list: { freezes: { name: string }[] } = await (await call("/v1/freezes", { token: secret })).json();
    expect(list.freezes.map(({ name }) => name)).toEqual(["own", "Maintenance of the network"]);
  });
});
