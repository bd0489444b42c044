import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { removeTree } from "#agent/workspace/discard.ts";
import { linkSharedPath, moveCopiesBack } from "#agent/workspace/shared-paths.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "page" });
});
afterEach(() => world.close());

describe("a shared folder that a process changes while a path is linked", () => {
  it("leads to no file outside", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-race-"));
    const [release, shared, outside] = ["release", "shared", "outside"].map((name) => join(folder, name));
    if (release === undefined || shared === undefined || outside === undefined) throw new Error("no folders");
    for (const path of [release, join(shared, "data"), outside]) mkdirSync(path, { recursive: true });
    writeFileSync(join(outside, "moved"), "secret");
    // As an app of an earlier release may do at any time.
    const swap = `chdir "shared"; symlink "../outside", "link"; while (1) { rename "data", "folder"; rename "link", "data"; rename "data", "link"; rename "folder", "data"; }`;
    const app = spawn("perl", ["-e", swap], { cwd: folder, stdio: "ignore" });
    try {
      for (let tries = 0; tries < 300; tries += 1) {
        mkdirSync(join(release, "data"), { recursive: true });
        writeFileSync(join(release, "data", "planted"), "planted");
        await linkSharedPath(release, shared, "data/planted").catch(() => undefined);
        await moveCopiesBack(release, shared, ["data/moved"]).catch(() => undefined);
        await removeTree(join(release, "data"));
        for (const name of ["data", "folder"]) rmSync(join(shared, name, "planted"), { force: true });
        expect(readdirSync(outside)).toEqual(["moved"]);
      }
    } finally {
      app.kill("SIGKILL");
      await once(app, "close");
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
