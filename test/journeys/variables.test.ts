import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { Variables } from "#contract/endpoints/variables/schemas.ts";

import { createRepository, type Repository } from "../support/journey-repository.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

let system: UsedSystem;
let repository: Repository;
let seen: string;

beforeAll(async () => {
  system = await useSystem();
  repository = await createRepository(join(system.folder, "shop"));
  await repository.commit({ "index.html": "shop" });
  seen = join(system.folder, "seen");
});

async function goLive(starting: Promise<{ id: string }>): Promise<Deployment> {
  const ended = await system.api.ended((await starting).id);
  expect(ended).toMatchObject({ status: "live", failure: null });
  return ended;
}

describe("the variables of a project", () => {
  it("reach the commands that may see them, change with a deployment, and come back with a rollback that asks for it", async () => {
    const show = `printf '%s|%s|%s|%s' "$URL" "$PASSWORD" "$NPM_TOKEN" "$GANTRY_REPOSITORY_TOKEN"`;
    const project = await system.api.createProject({
      name: "with-variables",
      server_id: system.local.server_id,
      repository: repository.path,
      build_command: `${show} > ${seen}.build; echo "using $NPM_TOKEN"`,
      activate_command: `${show} > ${seen}.activate`,
    });
    const update = async (set: readonly Record<string, unknown>[]) => {
      const answer = await system.api.call("PATCH", `/v1/projects/${project.id}/variables`, { set });
      return Variables.parse(answer.json);
    };
    const shown = async () => [
      await readFile(`${seen}.build`, "utf8"),
      await readFile(`${seen}.activate`, "utf8"),
    ];
    await update([
      { name: "URL", value: "https://one.test" },
      { name: "PASSWORD", value: "password one's", secret: true },
      { name: "NPM_TOKEN", value: "npm-token-one", secret: true, build: true },
      { name: "GANTRY_REPOSITORY_TOKEN", value: "repository-token", secret: true },
    ]);
    const one = await goLive(system.api.start(project.id));
    expect(one.variables_revision).toBe(1);
    expect(await shown()).toEqual([
      "https://one.test||npm-token-one|",
      "https://one.test|password one's|npm-token-one|",
    ]);
    const log = (await system.api.log(one.id)).map(({ message }) => message).join("\n");
    expect(log).toContain("using ***");
    expect(log).not.toMatch(/password one|npm-token-one|repository-token/);

    await update([{ name: "PASSWORD", value: "password two", secret: true }]);
    await repository.commit({ "index.html": "shop two" });
    await goLive(system.api.start(project.id));
    expect((await shown())[1]).toBe("https://one.test|password two|npm-token-one|");

    const back = await goLive(system.api.rollBack(project.id, { variables: "deployed" }));
    expect(back.variables_revision).toBe(1);
    expect((await shown())[1]).toBe("https://one.test|password one's|npm-token-one|");
    await goLive(system.api.rollBack(project.id, { version: 2 }));
    expect((await shown())[1]).toBe("https://one.test|password two|npm-token-one|");
  });
});
