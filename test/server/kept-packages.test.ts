import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, it } from "vitest";

import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { createEleventySite, lockEleventy } from "../support/eleventy-site.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

const run = promisify(execFile);

let system: UsedSystem;
beforeAll(async () => {
  system = await useSystem();
});

const createProject = (name: string, settings: Readonly<Record<string, unknown>> = {}) =>
  system.api.createProject({
    name,
    server_id: system.local.server_id,
    repository: join(system.folder, name),
    ...settings,
  });

/** @returns the agent's own lines of the log, and a function that reads files of the release */
async function deploy({ id }: Project) {
  const started = await system.api.start(id);
  const { status, failure, version } = await system.api.ended(started.id);
  expect({ status, failure }).toEqual({ status: "live", failure: null });
  const lines = (await system.api.log(started.id)).filter(({ stream }) => stream === "system");
  const release = join(dirname(system.folder), "agent/projects", id, "releases", `${version}`);
  return {
    log: lines.map(({ message }) => message).join("\n"),
    release,
    read: (path: string) => readFile(join(release, path), "utf8"),
  };
}

describe("an Eleventy site with npm's packages", () => {
  it("is installed once while its lock file is unchanged, and again with what a changed one names", async () => {
    const repository = await createEleventySite(join(system.folder, "blog"), "3.1.1");
    const project = await createProject("blog");
    expect((await deploy(project)).log).toContain("kept the dependencies for later deployments");

    await repository.commit({ "index.md": "# Second\n" });
    const second = await deploy(project);
    expect(second.log).toContain("package-lock.json is unchanged, so nothing is installed");
    expect(second.log).not.toContain("running npm ci");
    expect(await second.read("_site/index.html")).toContain("Second");

    await lockEleventy(repository, "3.1.2");
    const changed = await deploy(project);
    expect(changed.log).toContain("running npm ci");
    expect(await changed.read("node_modules/@11ty/eleventy/package.json")).toContain('"3.1.2"');
  });
});

describe("an Eleventy site with pnpm's packages", () => {
  it("is built from a copy that does not lead to the release that installed it", async () => {
    const pnpm = ["--yes", "pnpm@10.12.1"];
    const repository = await createEleventySite(join(system.folder, "pnpm-blog"), "3.1.2");
    await run("npx", [...pnpm, "install", "--lockfile-only", "--ignore-scripts"], { cwd: repository.path });
    await repository.commit({ "package-lock.json": null });
    const project = await createProject("pnpm-blog", {
      framework: "eleventy",
      install_command: `npx ${pnpm.join(" ")} install --frozen-lockfile`,
      build_command: `npx ${pnpm.join(" ")} exec eleventy`,
    });
    const first = await deploy(project);
    const second = await deploy(project);
    expect(second.log).toContain("pnpm-lock.yaml is unchanged, so nothing is installed");
    expect(await second.read("_site/index.html")).toContain("Home");
    const search = await run("grep", ["-rlF", `${first.release}/`, second.release]).catch(
      ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, code }),
    );
    expect(search).toEqual({ stdout: "", code: 1 });
  });
});
