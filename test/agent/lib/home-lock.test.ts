import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { holderOf, lockHome } from "#agent/lib/home-lock.ts";
import { bootId, commandLineOf, startTimeOf } from "#build/process/process-table.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-lock-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const dead = JSON.stringify({ pid: 4_194_303, start_time: "1", boot_id: "of another boot" });

describe("two agents that are started at the same moment", () => {
  it.each([
    ["in a home that nobody has used", {}],
    ["after an agent that was killed", { "agent.lock": dead }],
    ["after a power cut that has emptied the lock", { "agent.lock": "" }],
    ["after an agent that was killed while it took the home", { "agent.lock.77-1": dead }],
    ["after an agent that was killed while it read a lock", { "agent.lock.moved-77-1": dead }],
  ])("%s: one of them gets it, and leaves nothing", async (_what, left) => {
    for (let round = 0; round < 100; round += 1) {
      const home = await mkdtemp(join(folder, "home-"));
      for (const [name, text] of Object.entries(left)) await writeFile(join(home, name), text);
      const ends = await Promise.all([
        lockHome(home, 0, () => undefined),
        lockHome(home, 0, () => undefined),
      ]);
      const taken = ends.flatMap((end) => (end.kind === "taken" ? [end] : []));
      expect(taken).toHaveLength(1);
      expect(ends).toContainEqual({ kind: "held", pid: process.pid });
      await taken[0]?.release();
      expect(await readdir(home)).toEqual([]);
    }
  });
});

describe("an agent that has taken a home", () => {
  it("leaves its lock to the agent that has moved it aside to read it", async () => {
    const home = await mkdtemp(join(folder, "home-"));
    const end = await lockHome(home, 0, () => undefined);
    const moved = join(home, "agent.lock.moved-77-1");
    await rename(join(home, "agent.lock"), moved);
    const lock = await readFile(moved, "utf8");
    await lockHome(home, 0, () => undefined);
    expect(await readFile(moved, "utf8")).toBe(lock);
    expect(end.kind).toBe("taken");
  });
});

describe("the holder of a home", () => {
  let child: ChildProcess;
  let pid: number;
  beforeAll(async () => {
    child = spawn("sleep", ["1000"], { stdio: "ignore" });
    await once(child, "spawn");
    pid = child.pid ?? 0;
  });
  afterAll(() => void child.kill());

  async function heldBy(holder: object): Promise<number | null> {
    const home = await mkdtemp(join(folder, "home-"));
    await writeFile(join(home, "agent.lock"), JSON.stringify(holder));
    return await holderOf(home);
  }
  const holder = () => ({
    pid,
    start_time: startTimeOf(pid),
    boot_id: bootId(),
    command: commandLineOf(pid),
  });

  it("still holds it after another start moved its lock aside and was killed", async () => {
    const home = await mkdtemp(join(folder, "home-"));
    const lock = JSON.stringify(holder());
    await writeFile(join(home, "agent.lock.moved-77-1"), lock);
    expect(await lockHome(home, 0, () => undefined)).toEqual({ kind: "held", pid });
    expect(await readdir(home)).toEqual(["agent.lock"]);
    expect(await readFile(join(home, "agent.lock"), "utf8")).toBe(lock);
  });

  it("is the process with the same pid and the same start time", async () => {
    expect(await heldBy(holder())).toBe(pid);
    expect(await heldBy({ ...holder(), start_time: "1" })).toBeNull();
  });

  // In a container, a unit with its own /proc reads the boot id of the host, and a shell reads the container's boot id.
  it("is identified by its command when two processes read different boot ids", async () => {
    expect(await heldBy({ ...holder(), boot_id: "as a unit sees it" })).toBe(pid);
    expect(
      await heldBy({ ...holder(), boot_id: "of another boot", command: "node agent.mjs run" }),
    ).toBeNull();
    expect(await heldBy({ ...holder(), boot_id: "of another boot", command: null })).toBeNull();
  });

  it("is never the asking process, even if it has the same pid in another boot", async () => {
    const own = {
      pid: process.pid,
      start_time: startTimeOf(process.pid),
      command: commandLineOf(process.pid),
    };
    expect(await heldBy({ ...own, boot_id: "of another boot" })).toBeNull();
  });
});
