import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventsOf, messagesOf, AgentWorld } from "../support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

const numbers = (names: readonly string[]) =>
  names
    .filter((name) => !name.endsWith(".json"))
    .map(Number)
    .toSorted((a, b) => a - b);

/** The pruned releases that are not deleted yet. */
const prunedFolders = () => readdirSync(world.path()).filter((name) => name.endsWith(".bin"));

async function deployTwo() {
  world.repository.commit({ "index.html": "one" });
  await world.deploy();
  world.repository.commit({ "index.html": "two" });
  await world.deploy({ keep_releases: [1] });
}

describe("a rollback to a kept release", () => {
  it("only switches: it starts no process, requests no permit, and sends one report", async () => {
    // A git that only creates a file, so that a call is noticed.
    // No report is sent just because time passes.
    await world.startAgent({ flushMs: 60_000 });
    await deployTwo();
    const tools = join(world.folder, "tools");
    mkdirSync(tools);
    for (const name of ["git", "sh"]) {
      writeFileSync(join(tools, name), `#!/bin/bash\necho called > ${world.folder}/called\n`);
      chmodSync(join(tools, name), 0o755);
    }
    const path = process.env["PATH"];
    process.env["PATH"] = `${tools}:${path}`;
    const { run, result } = await world.deploy({
      reuse_release: 1,
      preapproved: true,
      keep_releases: [1, 2],
    });
    process.env["PATH"] = path;
    expect(result).toMatchObject({ outcome: "live", release: 1, evidence: { target: "releases/1" } });
    expect(world.read("current/index.html")).toBe("one");
    expect(readdirSync(world.folder)).not.toContain("called");
    expect(run.posts).toBe(1);
    expect(eventsOf(run, "stage").map(({ stage }) => stage)).toEqual(["activate", "verify"]);
    expect(messagesOf(run)).toEqual(["switched current from releases/2 to releases/1"]);
    expect(world.has("releases/3")).toBe(false);
  });

  it("runs the kept release's own activate command, not the current one", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    await world.deploy({ activate_command: "echo the first one" });
    await world.deploy({ activate_command: "echo the second one", keep_releases: [1] });
    const { run } = await world.deploy({
      reuse_release: 1,
      preapproved: true,
      activate_command: "echo of today",
      keep_releases: [1, 2],
    });
    expect(messagesOf(run, "stdout")).toEqual(["the first one"]);
  });

  it("keeps the release when it fails, because it was live once, and switches back", async () => {
    await world.startAgent();
    world.repository.commit({ "index.html": "one", "check.sh": "[ ! -e ../../broken ]" });
    await world.deploy({ activate_command: "sh check.sh" });
    await world.deploy({ keep_releases: [1] });
    writeFileSync(world.path("broken"), "");
    const { result } = await world.deploy({
      reuse_release: 1,
      preapproved: true,
      keep_releases: [1, 2],
    });
    expect(result).toMatchObject({ failure: { code: "activate_failed" } });
    expect(world.current).toBe("releases/2");
    expect(world.has("releases/1.json")).toBe(true);
  });
});

describe("a rollback to a release that was removed", () => {
  it("builds its commit again, into a new release", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const first = await world.deploy();
    const commit = eventsOf(first.run, "resolved")[0]?.commit_sha ?? "";
    world.repository.commit({ "index.html": "two" });
    await world.deploy();
    await world.deploy();
    expect(world.has("releases/1")).toBe(false);
    const { run, result } = await world.deploy({
      reuse_release: 1,
      source: { repository: world.repository.path, branch: "main", commit },
      build_command: "echo built again",
    });
    expect(result).toMatchObject({ outcome: "live", release: 4, evidence: { commit_sha: commit } });
    expect(world.read("current/index.html")).toBe("one");
    expect(messagesOf(run)).toContain("built again");
    expect(eventsOf(run, "ready")).toHaveLength(1);
  });

  it("does not use the folder of an unfinished release", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const first = await world.deploy();
    const commit = eventsOf(first.run, "resolved")[0]?.commit_sha ?? "";
    await world.deploy({ keep_releases: [1] });
    rmSync(world.path("releases/1.json"));
    const { result } = await world.deploy({
      reuse_release: 1,
      source: { repository: world.repository.path, branch: "main", commit },
    });
    expect(result).toMatchObject({ outcome: "live", release: 3 });
  });
});

describe("pruning", () => {
  it("removes every release except the releases to keep, the live release and the release before it", async () => {
    world.repository.commit({ "index.html": "x" });
    await world.startAgent();
    for (const keep of [[], [1], [1, 2]]) await world.deploy({ keep_releases: keep });
    const { run } = await world.deploy({ keep_releases: [1] });
    expect(numbers(readdirSync(world.path("releases")))).toEqual([1, 3, 4]);
    expect(eventsOf(run, "result")).toMatchObject([{ project: { releases: [1, 3, 4] } }]);
    const last = run.events.at(-2);
    expect(last).toMatchObject({ type: "output" });
    expect(messagesOf(run).at(-1)).toBe("removed the release 2");
  });

  it("of a large release continues after the result is sent, and does not delay a later run", async () => {
    world.repository.commit({ "index.html": "x" });
    await world.startAgent();
    await world.deploy({ build_command: "mkdir many && cd many && seq 2000 | xargs touch" });
    await world.deploy();
    const { run } = await world.deploy();
    expect(eventsOf(run, "result")).toMatchObject([{ project: { releases: [2, 3] } }]);
    expect(prunedFolders()).toHaveLength(1);
    expect((await world.deploy()).result.outcome).toBe("live");
    await expect.poll(prunedFolders).toEqual([]);
  });

  it("is completed by the next agent after a kill, and by a project removal", async () => {
    world.repository.commit({ "index.html": "x" });
    const agent = await world.startAgent();
    await world.deploy();
    await agent.stop();
    const leave = () => mkdirSync(world.path("1-left.bin", "many"), { recursive: true });
    leave();
    await world.startAgent();
    expect(prunedFolders()).toEqual([]);
    leave();
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await world.control.waitFor("the answer", () =>
      world.control.messages.some(({ type }) => type === "project_removed"),
    );
    expect(prunedFolders()).toEqual([]);
  });

  it("also removes read-only files", async () => {
    world.repository.commit({ "index.html": "x" });
    await world.startAgent();
    await world.deploy({ build_command: "mkdir -p cache/a && touch cache/a/b && chmod -R a-w cache" });
    await world.deploy();
    await world.deploy();
    expect(numbers(readdirSync(world.path("releases")))).toEqual([2, 3]);
  });
});

describe("shared paths", () => {
  it("outlive the releases: they start as the first release's own copy, or empty", async () => {
    world.repository.commit({ "storage/seed.txt": "seed", "config/app.ini": "v1", "a.txt": "a" });
    await world.startAgent();
    const shared_paths = ["storage", "var/log/app", "config/app.ini"];
    const { result } = await world.deploy({ shared_paths });
    expect(result.outcome).toBe("live");
    writeFileSync(world.path("current/storage/upload.txt"), "upload");
    writeFileSync(world.path("current/var/log/app/today.log"), "line");
    writeFileSync(world.path("current/config/app.ini"), "edited");
    world.repository.commit({ "storage/seed.txt": "newer seed" });
    await world.deploy({ shared_paths });
    expect(world.read("releases/2/storage/upload.txt")).toBe("upload");
    expect(world.read("releases/2/storage/seed.txt")).toBe("seed");
    expect(world.read("releases/2/var/log/app/today.log")).toBe("line");
    expect(world.read("current/config/app.ini")).toBe("edited");
    await world.deploy({ shared_paths, keep_releases: [] });
    expect(world.has("releases/1")).toBe(false);
    expect(world.read("shared/storage/upload.txt")).toBe("upload");
  });

  it("below a link in the repository are refused, and no file is written there", async () => {
    const outside = join(world.folder, "outside");
    mkdirSync(outside);
    world.repository.commit({ "index.html": "x", data: { link: outside } });
    await world.startAgent();
    const below = await world.deploy({ shared_paths: ["data/uploads"] });
    expect(below.result).toMatchObject({
      failure: {
        code: "build_failed",
        message: "the shared path `data/uploads` is refused: `data` in the release is not a folder",
      },
    });
    const itself = await world.deploy({ shared_paths: ["data"] });
    expect(itself.result).toMatchObject({
      failure: { message: "the shared path `data` is refused: `data` in the release is a symbolic link" },
    });
    expect(readdirSync(outside)).toEqual([]);
  });
});
