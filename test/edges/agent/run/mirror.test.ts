import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

describe("the mirror", () => {
  it("is created again when it is damaged", async () => {
    world.repository.commit({ "index.html": "one", "big.bin": "x".repeat(100_000) });
    await world.startAgent();
    await world.deploy();
    const packs = world.path("mirror.git/objects/pack");
    const tree = world.repository.git("rev-parse", "HEAD^{tree}");
    // The commit stays and its trees and files are lost, as after a disk error.
    const commit = world.repository.git("rev-parse", "HEAD");
    const raw = execFileSync("git", ["cat-file", "commit", commit], { cwd: world.repository.path });
    rmSync(packs, { recursive: true });
    execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], {
      cwd: world.path("mirror.git"),
      input: raw,
    });
    expect(existsSync(world.path("mirror.git/objects", tree.slice(0, 2), tree.slice(2)))).toBe(false);
    const { run, result } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(messagesOf(run)).toContainEqual(expect.stringMatching(/^the mirror was damaged/));
    expect(world.read("current/index.html")).toBe("one");
  });

  it("is created again when it is so damaged that a fetch into it fails", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    await world.deploy();
    const packs = world.path("mirror.git/objects/pack");
    for (const name of readdirSync(packs)) {
      chmodSync(join(packs, name), 0o644);
      writeFileSync(join(packs, name), "");
    }
    world.repository.commit({ "index.html": "two" });
    const torn = await world.deploy();
    expect(torn.result.outcome).toBe("live");
    writeFileSync(world.path("mirror.git/HEAD"), "");
    const headless = await world.deploy();
    expect(headless.result.outcome).toBe("live");
    expect(messagesOf(headless.run)).toContainEqual(expect.stringMatching(/^the mirror was damaged/));
    expect(world.read("current/index.html")).toBe("two");
  });

  it("is created again when a power cut has left its newest pack without content", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    await world.deploy();
    const packs = world.path("mirror.git/objects/pack");
    const before = readdirSync(packs);
    world.repository.commit({ "index.html": "two" });
    await world.deploy();
    for (const name of readdirSync(packs).filter((one) => !before.includes(one))) {
      const path = join(packs, name);
      chmodSync(path, 0o644);
      writeFileSync(path, Buffer.alloc(statSync(path).size));
    }
    const again = await world.deploy();
    expect(again.result.outcome).toBe("live");
    expect(messagesOf(again.run)).toContainEqual(expect.stringMatching(/^the mirror was damaged/));
    expect(world.read("current/index.html")).toBe("two");
  });

  it.each([
    ...["HEAD", "config", "refs/gantry/tip", "shallow"].flatMap((name) => [
      { name, left: "nothing" },
      { name, left: "zeros" },
    ]),
    { name: "packed-refs", left: "zeros" },
  ])("survives a power cut that leaves $left of $name", async ({ name, left }) => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    await world.deploy();
    if (name === "packed-refs")
      execFileSync("git", ["pack-refs", "--all"], { cwd: world.path("mirror.git") });
    const path = world.path("mirror.git", name);
    writeFileSync(path, Buffer.alloc(left === "zeros" ? statSync(path).size : 0));
    world.repository.commit({ "index.html": "two" });
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(world.read("current/index.html")).toBe("two");
  });

  it("works with the lock files of a killed git", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    await world.deploy();
    for (const lock of ["shallow.lock", "packed-refs.lock", "refs/gantry/tip.lock"])
      writeFileSync(world.path("mirror.git", lock), "");
    world.repository.commit({ "index.html": "two" });
    const { result } = await world.deploy();
    expect(result.outcome).toBe("live");
  });
});
