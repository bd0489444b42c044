import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { lockHome } from "#agent/home-lock.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-lock-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const dead = JSON.stringify({ pid: 4_194_303, start_time: "1", boot_id: "of another boot" });

describe("two agents that are started at the same moment", () => {
  it.each([
    ["in a home that nobody has used", {}],
    ["after one that was killed", { "agent.lock": dead }],
    ["after a power cut that has emptied the lock", { "agent.lock": "" }],
    ["after one that was killed while it took the home", { "agent.lock.77-1": dead }],
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
