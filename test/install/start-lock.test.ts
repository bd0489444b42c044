import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { lockHome } from "../../scripts/start/home-lock.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-lock-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("two starts at the same moment", () => {
  it.each([
    ["in a new home", null],
    [
      "after a start that was killed",
      JSON.stringify({ holder: { pid: 4194303, startedAt: "1" }, children: [] }),
    ],
    ["after a start that was killed while it locked the home", ""],
  ])("%s: one of them gets the lock, and leaves no files", async (_what, left) => {
    for (let round = 0; round < 100; round += 1) {
      const home = await mkdtemp(join(folder, "home-"));
      await mkdir(join(home, "run"));
      if (left !== null) await writeFile(join(home, "run", "start.lock"), left);
      const ends = await Promise.allSettled([lockHome(home, 8787), lockHome(home, 8788)]);
      const taken = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
      expect(taken).toHaveLength(1);
      await taken[0]?.release();
      expect(await readdir(join(home, "run"))).toEqual([]);
    }
  });
});
