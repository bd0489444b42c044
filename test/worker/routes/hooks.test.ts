import { describe, expect, it } from "vitest";

import { Hook, HookRows, HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";
import { deliver, delivered } from "../../support/worker/deliveries.ts";
import { TestProject } from "../../support/worker/project.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const repository = "https://git.test/acme/shop.git";

async function create(project: TestProject, body: Record<string, unknown> = {}): Promise<HookWithSecret> {
  const response = await project.post("/v1/hooks", { forge: "gitea", repository, ...body });
  return HookWithSecret.parse(await response.json());
}

describe("a hook", () => {
  it("has an address, a secret that is shown once, and the steps to add it", async () => {
    const project = await TestProject.create({ repository });
    const response = await project.post("/v1/hooks", { forge: "gitea", repository });
    expect(response.status).toBe(201);
    const { secret, ...hook } = HookWithSecret.parse(await response.json());
    expect(response.headers.get("location")).toBe(`/v1/hooks/${hook.id}`);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(hook).toMatchObject({
      forge: "gitea",
      repository,
      url: `${ORIGIN}/v1/hooks/${hook.id}/receive`,
      settings_url: "https://git.test/acme/shop/settings/hooks",
      project_ids: [project.id],
      received_at: null,
      refused_at: null,
    });
    const read = await project.get(`/v1/hooks/${hook.id}`);
    expect(Hook.parse(await read.json())).toEqual(hook);
    const list = await (await project.get("/v1/hooks")).text();
    expect(HookRows.parse(JSON.parse(list)).hooks).toEqual([hook]);
    expect(list).not.toContain(secret);
  });

  it("is one for each repository, whatever the form of its address", async () => {
    const project = await TestProject.create({ repository });
    const { id } = await create(project);
    const again = await project.post("/v1/hooks", { forge: "github", repository: "git@git.test:Acme/shop" });
    expect(await problemOf(again)).toMatchObject({
      code: "hook_exists",
      detail: expect.stringContaining(id),
    });
  });

  it("is created once by a request that is sent again", async () => {
    const project = await TestProject.create({ repository });
    const send = async () =>
      await project.post("/v1/hooks", { forge: "gitea", repository }, { "idempotency-key": "hook-1" });
    const [one, other] = [await (await send()).json(), await (await send()).json()];
    expect(other).toEqual(one);
  });

  it("does not store the password of the repository's address", async () => {
    const project = await TestProject.create({ repository });
    const login = "https://me:not-a-real-password@git.test/acme/shop.git";
    expect(await create(project, { repository: login })).toMatchObject({
      repository: "https://me@git.test/acme/shop.git",
      project_ids: [project.id],
    });
  });

  it("takes a secret that the forge has made", async () => {
    const project = await TestProject.create({ repository });
    const hook = await create(project, { secret: "a-secret-of-the-forge" });
    expect(hook.secret).toBe("a-secret-of-the-forge");
    expect((await deliver(hook)).status).toBe(200);
    const short = await project.post("/v1/hooks", { forge: "gitea", repository, secret: "short" });
    expect(short.status).toBe(422);
  });

  it("receives nothing after it was deleted", async () => {
    const project = await TestProject.create({ repository });
    const hook = await create(project);
    expect((await project.call("DELETE", `/v1/hooks/${hook.id}`)).status).toBe(204);
    expect((await deliver(hook)).status).toBe(404);
    expect((await project.call("DELETE", `/v1/hooks/${hook.id}`)).status).toBe(404);
  });
});

describe("a rotated hook", () => {
  it("accepts the secret from before for a day, and no earlier one", async () => {
    const project = await TestProject.create({ repository });
    const first = await create(project);
    const rotate = async (body: { readonly secret?: string } = {}) =>
      HookWithSecret.parse(await (await project.post(`/v1/hooks/${first.id}/rotate`, body)).json());
    const second = await rotate();
    expect(second.secret).not.toBe(first.secret);
    expect(Date.parse(second.previous_expires_at ?? "") - Date.now()).toBeGreaterThan(23 * 3_600_000);
    // As the retry of a request whose answer was lost.
    await rotate({ secret: second.secret });
    for (const hook of [first, second]) expect((await deliver(hook)).status).toBe(200);
    const third = await rotate();
    const statuses = [];
    for (const hook of [first, second, third]) statuses.push((await deliver(hook)).status);
    expect(statuses).toEqual([401, 200, 200]);
  });
});

describe("a token that is limited to projects", () => {
  it("sees the hooks of their repositories, and changes none", async () => {
    const world = await copyWorld();
    const limited = async (projectId: typeof world.projectId) =>
      (await createToken(world.account.id, { projectIds: [projectId] })).secret;
    const [own, other] = [await limited(world.projectId), await limited(ids.project())];
    const listed = async (token: string) =>
      HookRows.parse(await (await call("/v1/hooks", { token })).json()).hooks.map(({ id }) => id);
    expect(await listed(own)).toEqual([world.hookId]);
    expect(await listed(other)).toEqual([]);
    expect((await call(`/v1/hooks/${world.hookId}`, { token: other })).status).toBe(404);
    const rotated = await call(`/v1/hooks/${world.hookId}/rotate`, { method: "POST", token: own, body: {} });
    expect(rotated.status).toBe(403);
  });
});

it("tells when it last received a delivery", async () => {
  const project = await TestProject.create({ repository });
  const hook = await create(project);
  await delivered(hook, { zen: "no push" }, "issues");
  const { received_at } = Hook.parse(await (await project.get(`/v1/hooks/${hook.id}`)).json());
  expect(Date.now() - Date.parse(received_at ?? "")).toBeLessThan(60_000);
});
