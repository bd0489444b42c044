import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";

import { deployOnOf } from "#contract/endpoints/projects/deploy-on.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";
import { call, problemOf } from "../../support/worker/call.ts";
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
  expect(await patched(world, {})).toEqual(deployOnOf(null));
  expect(deployOnOf(null)).toMatchObject({ enabled: true, branches: null, tags: [], paths: null });
});

it("changes the given fields, and keeps the others", async () => {
  const world = await copyWorld();
  const given = { branches: ["main", "release/*"], paths: ["apps/shop"] };
  expect(await patched(world, given)).toEqual({ ...deployOnOf(null), ...given });
  expect(await patched(world, { tags: ["v*"] })).toEqual({ ...deployOnOf(null), ...given, tags: ["v*"] });
  const all = await patched(world, { branches: null, paths: null, enabled: false });
  expect(all).toEqual({ ...deployOnOf(null), tags: ["v*"], enabled: false });
});

it.each([{ branches: [""] }, { tags: null }, { paths: "apps" }, { watch: true }])(
  "refuses %j",
  async (deployOn) => {
    expect((await patch(await copyWorld(), { deploy_on: deployOn })).status).toBe(422);
  },
);

it.each<[deployOn: unknown, pointer: string, words: string]>([
  [{ paths: ["!docs/**"] }, "/paths", 'write "**" before "!docs/**"'],
  [{ branches: ["!main", "!dev"] }, "/branches", 'write "**" before "!main"'],
  [{ ignore_paths: ["!docs"] }, "/ignore_paths", "selects nothing"],
  [{ branches: ["!main", "**"] }, "/branches/0", "move it to the end"],
  [{ paths: ["src", "./lib"] }, "/paths/1", 'write "lib"'],
  [{ paths: ["src/./lib//a/"] }, "/paths/0", 'write "src/lib/a"'],
  [{ paths: ["../shared"] }, "/paths/0", "no `..` part"],
  [{ paths: ["."] }, "/paths/0", 'write "**"'],
  [{ paths: ["/"] }, "/paths/0", 'write "**"'],
  [{ paths: [String.raw`apps\shop`] }, "/paths/0", 'write "apps/shop"'],
  [{ paths: ["docs,src"] }, "/paths/0", 'write "docs" and write "src"'],
  [{ ignore_paths: ["**/*.{md, mdx}"] }, "/ignore_paths/0", 'write "**/*.md" and write "**/*.mdx"'],
  [{ paths: ["^src/"] }, "/paths/0", "regular expression"],
  [{ paths: ["docs "] }, "/paths/0", 'write "docs"'],
  [{ branches: ["refs/heads/main"] }, "/branches/0", 'write "main"'],
  [{ branches: ["**", "!refs/heads/main"] }, "/branches/1", 'write "!main"'],
  [{ branches: ["origin/main"] }, "/branches/0", 'write "main"'],
  [{ branches: [" main"] }, "/branches/0", 'write "main"'],
  [{ branches: ["main,develop"] }, "/branches/0", 'write "main" and write "develop"'],
  [{ branches: ["(main|dev)"] }, "/branches/0", 'write "main" and write "dev"'],
  [{ branches: ["{main,dev}"] }, "/branches/0", 'write "main" and write "dev"'],
  [{ branches: ["^main$"] }, "/branches/0", 'write "main"'],
  [{ branches: ["^refs/heads/main$"] }, "/branches/0", "regular expression"],
  [{ branches: ["feature/.*"] }, "/branches/0", 'write "feature/*"'],
  [{ branches: [".*"] }, "/branches/0", 'write "**"'],
  [{ branches: ["rel[0-9]"] }, "/branches/0", "git allows no such name"],
  [{ branches: ["main:dev"] }, "/branches/0", "git allows no such name"],
  [{ branches: ["!"] }, "/branches/0", "after the !"],
  [{ branches: ["**", "!!main"] }, "/branches/1", 'write "!main"'],
  [{ tags: ["refs/tags/v*"] }, "/tags/0", 'write "v*"'],
  [{ tags: [String.raw`v\d+`] }, "/tags/0", "matches no tag"],
  [{ skip_markers: [" "] }, "/skip_markers/0", "every message has"],
])("refuses %j, which can never be meant, with what to write", async (deployOn, pointer, words) => {
  const response = await patch(await copyWorld(), { deploy_on: deployOn });
  expect(response.status).toBe(422);
  expect((await problemOf(response)).errors).toEqual([
    { pointer: `/deploy_on${pointer}`, message: expect.stringContaining(words) },
  ]);
});

it("takes patterns with every other character", async () => {
  const given = {
    branches: ["**", "!dependabot/**", "/main/", "v1.*", "a+b", "@me/*"],
    tags: ["v?.?"],
    paths: [
      "/apps/shop",
      "apps/[slug]/{{name}}/$id.tsx",
      "**/*.md",
      ".*",
      "my docs",
      "a**b",
      "!**/*.test.ts",
    ],
    ignore_paths: ["docs/", "docs/"],
  };
  expect(await patched(await copyWorld(), given)).toMatchObject(given);
});

it("stores which repository it is, whatever the form of its address", async () => {
  const world = await copyWorld();
  expect(await keyOf(world)).toBe("git.test/shop");
  await patch(world, { repository: "git@github.com:Acme/Shop.git" });
  expect(await keyOf(world)).toBe("github.com/acme/shop");
  await patch(world, { name: "store" });
  expect(await keyOf(world)).toBe("github.com/acme/shop");
});
