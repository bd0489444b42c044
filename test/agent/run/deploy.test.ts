import { lstatSync, readlinkSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventsOf, messagesOf, AgentWorld } from "../support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

describe("a deployment", () => {
  it("puts a branch's files into a release and switches `current` to it", async () => {
    const sha = world.repository.commit({ "index.html": "one" }, "First page\n\nWith a body.");
    await world.startAgent();
    const { run, result } = await world.deploy();

    expect(result).toEqual({
      outcome: "live",
      release: 1,
      evidence: { target: "releases/1", commit_sha: sha, health_check: null },
    });
    expect(world.current).toBe("releases/1");
    expect(world.read("current", "index.html")).toBe("one");
    expect(world.has("releases/1/.git")).toBe(false);
    expect(eventsOf(run, "resolved")).toMatchObject([
      { commit_sha: sha, commit_message: "First page\n\nWith a body." },
    ]);
    expect(eventsOf(run, "stage").map(({ stage }) => stage)).toEqual([
      "fetch",
      "build",
      "activate",
      "verify",
    ]);
    expect(eventsOf(run, "result")).toMatchObject([
      { project: { project_id: world.projectId, release: 1, releases: [1], url: null } },
    ]);
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({
      version: 1,
      commit_sha: sha,
      commit_message: "First page\n\nWith a body.",
      root_directory: ".",
      output_directory: ".",
      activate_command: null,
    });
    expect(world.has("tmp")).toBe(false);
    await expect.poll(() => world.has("run.json")).toBe(false);
  });

  it("keeps executable bits, symbolic links, spaces and letters of any language in file names", async () => {
    world.repository.commit({
      "bin/run me.sh": { script: "#!/bin/sh\n" },
      "plain.txt": "plain",
      "straße/日本 語.txt": "unicode",
      link: { link: "straße/日本 語.txt" },
    });
    await world.startAgent();
    await world.deploy();
    expect(lstatSync(world.path("current/bin/run me.sh")).mode & 0o777).toBe(0o755);
    expect(lstatSync(world.path("current/plain.txt")).mode & 0o777).toBe(0o644);
    expect(world.read("current/straße/日本 語.txt")).toBe("unicode");
    expect(readlinkSync(world.path("current/link"))).toBe("straße/日本 語.txt");
  });

  it("deploys a commit without any files", async () => {
    world.repository.commit({});
    await world.startAgent();
    const { result } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(world.has("current/.")).toBe(true);
  });

  it("logs its steps and how long they took", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const { run } = await world.deploy();
    const system = messagesOf(run, "system");
    expect(system[0]).toMatch(/^`main` of .* is at [0-9a-f]{12} \(\d+ ms\)$/);
    expect(system).toContainEqual(expect.stringMatching(/^wrote the files of [0-9a-f]{12} \(\d+ ms\)$/));
    expect(system).toContain("switched current to releases/1");
  });

  it("deploys the branch's newest commit each time", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    await world.deploy();
    world.repository.commit({ "index.html": "two", "more.html": "more" });
    await world.deploy({ keep_releases: [1] });
    world.repository.commit({ "index.html": "three", "more.html": null });
    await world.deploy({ keep_releases: [1, 2] });
    expect(world.current).toBe("releases/3");
    expect(world.read("current/index.html")).toBe("three");
    expect(world.has("current/more.html")).toBe(false);
    expect(world.read("releases/1/index.html")).toBe("one");
  });
});
