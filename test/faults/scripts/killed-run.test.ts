import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { root } from "../../../scripts/shared/root.ts";
import { processesOf } from "../../support/journey-processes.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "killed-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const sleeping = async () => (await processesOf(folder)).filter((text) => text.endsWith("/bin/sleep 1000"));

describe("a run of the tests leaves no process and no file", () => {
  it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("after a %s to its process group", async (signal) => {
    const config = join(root, "test/support/killed-run/vitest.config.ts");
    const run = spawn(
      process.execPath,
      [join(root, "scripts/test.ts"), "--config", config, "--project", "waiting"],
      // Its own process group, as in a terminal.
      { cwd: root, detached: true, env: { ...process.env, TMPDIR: folder }, stdio: "ignore" },
    );
    const exited = once(run, "exit");
    await expect.poll(async () => (await sleeping()).length).toBe(2);
    if (run.pid === undefined) throw new Error("the run did not start");
    process.kill(-run.pid, signal);
    await exited;
    await expect.poll(() => processesOf(folder)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});
