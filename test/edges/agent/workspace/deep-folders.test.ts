import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { removeTree } from "#agent/workspace/discard.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";

/** Much deeper than the longest path (4096 bytes). Each folder has a file in it. */
const DEPTH = 1_500;
const nested = (depth: number) =>
  `perl -e 'for (1..${depth}) { mkdir "folder"; open(F, ">file"); chdir "folder" or die } symlink "/etc/passwd", "deepest"'`;
const makeDeep = nested(DEPTH);

describe("a tree of 1,500 nested folders", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gantry-deep-"));
    mkdirSync(join(folder, "tree"));
    execFileSync("sh", ["-c", makeDeep], { cwd: join(folder, "tree") });
  });
  afterEach(() => execFileSync("rm", ["-rf", folder]));

  it("is removed", async () => {
    await removeTree(join(folder, "tree"));
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is removed although some of its folders are not writable", async () => {
    execFileSync("sh", ["-c", "chmod a-w folder folder/folder folder/folder/folder"], {
      cwd: join(folder, "tree"),
    });
    await removeTree(join(folder, "tree"));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a tree that a process changes while it is removed", () => {
  it("is removed without anything that a new link in it leads to", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-race-"));
    const [tree, other] = [join(folder, "tree"), join(folder, "other")];
    const names = Array.from({ length: 10 }, (_, at) => `folder-${at}`);
    for (const path of [...names.map((name) => join(tree, name)), other]) {
      mkdirSync(path, { recursive: true });
      for (let at = 0; at < 200; at += 1) writeFileSync(join(path, `${at}`), "");
    }
    let isRemoved = false;
    const removing = removeTree(tree).finally(() => (isRemoved = true));
    const countOf = (name: string) =>
      existsSync(join(tree, name)) ? readdirSync(join(tree, name)).length : 0;
    // As an app of the release does when it sees the first file go.
    while (!isRemoved && names.every((name) => countOf(name) === 200))
      await new Promise((resume) => setImmediate(resume));
    for (const name of names.filter((one) => countOf(one) === 200)) {
      renameSync(join(tree, name), join(folder, name));
      symlinkSync(other, join(tree, name));
    }
    await removing;
    expect(existsSync(tree)).toBe(false);
    expect(readdirSync(folder).length).toBeGreaterThan(1);
    expect(readdirSync(other).length).toBe(200);
    rmSync(folder, { recursive: true });
  });
});

describe("a project whose build makes 1,500 nested folders", () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
    world.repository.commit({ "index.html": "one", "dist/index.html": "one" });
  });
  afterEach(async () => {
    // The harness removes its folder in a way that fails here.
    execFileSync("rm", ["-rf", world.home]);
    await world.close();
  });
  const build = { build_command: makeDeep, output_directory: "dist" };

  it("is deployed, pruned and removed", async () => {
    await world.startAgent();
    expect((await world.deploy(build)).result.outcome).toBe("live");
    expect((await world.deploy(build)).result.outcome).toBe("live");
    expect((await world.deploy({ output_directory: "dist" })).result.outcome).toBe("live");
    await expect.poll(() => world.releases).toEqual([2, 3]);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: true });
    await world.control.waitFor(
      "the answer",
      () => world.control.messages.at(-1)?.type === "project_removed",
    );
    await expect.poll(() => existsSync(world.path())).toBe(false);
  });

  it("is refused when it makes more than that", async () => {
    await world.startAgent();
    const { result } = await world.deploy({ ...build, build_command: nested(2_100) });
    expect(result).toMatchObject({
      failure: { code: "build_failed", message: "its folders are nested more than 2000 deep" },
    });
    expect(readdirSync(world.path("releases"))).toEqual([]);
  });

  it("leaves nothing when that build fails", async () => {
    await world.startAgent();
    await world.deploy({ ...build, build_command: `${makeDeep}; exit 1` });
    expect(readdirSync(world.path("releases"))).toEqual([]);
    expect(world.logLines.filter((line) => line.includes("failed"))).toEqual([]);
    await expect.poll(() => existsSync(world.path("tmp"))).toBe(false);
  });

  it("is refused when a link at the bottom leads out of the published folder", async () => {
    await world.startAgent();
    const { result } = await world.deploy({ build_command: makeDeep });
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        message: expect.stringMatching(/^a symbolic link leads out of the release/),
      },
    });
    rmSync(world.path("tmp"), { recursive: true, force: true });
  });
});
