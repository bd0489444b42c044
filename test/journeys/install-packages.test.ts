import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = resolve(import.meta.dirname, "../../scripts/install.mjs");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-packages-"));
  await mkdir(join(folder, "build"));
  await cp(script, join(folder, "scripts", "install.mjs"), { recursive: true });
  const project = { name: "no-packages", version: "1.0.0" };
  const lock = { ...project, lockfileVersion: 3, packages: { "": project } };
  await writeFile(join(folder, "package.json"), JSON.stringify(project));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const install = () =>
  promisify(execFile)(process.execPath, [join(folder, "scripts/install.mjs")], { timeout: 30_000 });

describe("the installation of packages before every command", () => {
  it.each([
    ["was killed", "4194303", 0],
    ["was killed before it had noted itself, or found the disk full", "", 60],
  ])("does not wait for another one that %s", async (_what, note, secondsAgo) => {
    const lock = join(folder, "build", "install.lock");
    await writeFile(lock, note);
    const time = Date.now() / 1000 - secondsAgo;
    await utimes(lock, time, time);
    expect((await install()).stdout).toMatch(/Packages installed/);
    expect(await readdir(join(folder, "build"))).toEqual([]);
  });
});
