import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";

import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";
import { call } from "../../support/worker/call.ts";
import type { World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

async function patch({ account, projectId }: World, body: unknown): Promise<Response> {
  return await call(`/v1/projects/${projectId}`, { method: "PATCH", token: account.token, body });
}

async function patched(world: World, deployOn: unknown): Promise<Project["deploy_on"]> {
  const response = await patch(world, { deploy_on: deployOn });
  return Project.parse(await response.json()).deploy_on;
}

async function keyOf({ account, projectId }: World): Promise<string | null | undefined> {
  const rows = new AccountRows(env.DB, account.id);
  const where = eq(projects.id, projectId);
  return (await rows.select({ key: projects.repositoryKey }, projects, { where })).at(0)?.key;
}

it("deploys pushes to the project's branch unless it says otherwise", async () => {
  const world = await copyWorld();
  expect(await patched(world, {})).toEqual(DeployOn.parse({}));
  expect(DeployOn.parse({})).toMatchObject({ enabled: true, branches: null, tags: [], paths: null });
});

it("changes the given fields, and keeps the others", async () => {
  const world = await copyWorld();
  const given = { branches: ["main", "release/*"], paths: ["apps/shop"] };
  expect(await patched(world, given)).toEqual({ ...DeployOn.parse({}), ...given });
  expect(await patched(world, { tags: ["v*"] })).toEqual({ ...DeployOn.parse({}), ...given, tags: ["v*"] });
  const all = await patched(world, { branches: null, paths: null, enabled: false });
  expect(all).toEqual({ ...DeployOn.parse({}), tags: ["v*"], enabled: false });
});

it.each([{ branches: [""] }, { tags: null }, { paths: "apps" }, { watch: true }, { branches: ["!main"] }])(
  "refuses %j",
  async (deployOn) => {
    expect((await patch(await copyWorld(), { deploy_on: deployOn })).status).toBe(422);
  },
);

it("stores which repository it is, whatever the form of its address", async () => {
  const world = await copyWorld();
  expect(await keyOf(world)).toBe("git.test/shop");
  await patch(world, { repository: "git@github.com:Acme/Shop.git" });
  expect(await keyOf(world)).toBe("github.com/acme/shop");
  await patch(world, { name: "store" });
  expect(await keyOf(world)).toBe("github.com/acme/shop");
});
