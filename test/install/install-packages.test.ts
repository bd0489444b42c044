import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startFakeRegistry } from "../support/fake-registry.ts";

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

describe("the installation of packages before npm scripts", () => {
  it.each([
    ["was killed", "4194303", 0],
    ["was killed before it wrote its pid, or found the disk full", "", 60],
  ])("does not wait for another installation that %s", async (_what, note, secondsAgo) => {
    const lock = join(folder, "build", "install.lock");
    await writeFile(lock, note);
    const time = Date.now() / 1000 - secondsAgo;
    await utimes(lock, time, time);
    expect((await install()).stdout).toMatch(/Packages installed/);
    expect(await readdir(join(folder, "build"))).toEqual([]);
  });
});

describe("a lock file", () => {
  const project = { name: "one-package", version: "1.0.0", dependencies: { part: "1.0.0" } };
  const writeLock = async (part: object) => {
    const packages = { "": project, "node_modules/part": { version: "1.0.0", ...part } };
    const lock = { name: project.name, version: "1.0.0", lockfileVersion: 3, requires: true, packages };
    await writeFile(join(folder, "package.json"), JSON.stringify(project));
    await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  };

  it("is installed once without hashes, with its hash and with an added hash, and never with a wrong hash", async () => {
    const registry = await startFakeRegistry("part");
    const run = (file = "scripts/install.mjs") =>
      promisify(execFile)(process.execPath, [join(folder, file)], {
        cwd: folder,
        timeout: 60_000,
        env: { ...process.env, ...registry.environment },
      });
    try {
      await writeLock({});
      expect((await run()).stdout).toMatch(/Packages installed/);
      expect((await run()).stdout).toBe("");

      // The result of scripts/complete-lock.ts.
      await writeLock({ integrity: registry.integrity });
      await run();
      expect((await run()).stdout).toBe("");

      // Packages that were installed with a hash satisfy a lock file without hashes.
      await writeLock({});
      expect((await run()).stdout).toBe("");

      const other = `sha512-${Buffer.alloc(64, 7).toString("base64")}`;
      await writeLock({ integrity: other });
      await expect(run()).rejects.toThrow(/EINTEGRITY/);
    } finally {
      await registry.close();
    }
  });

  it("is completed with the hashes that the registry has", async () => {
    const registry = await startFakeRegistry("part");
    const complete = () =>
      promisify(execFile)(
        process.execPath,
        [resolve(import.meta.dirname, "../../scripts/complete-lock.ts")],
        {
          cwd: folder,
          timeout: 60_000,
          env: { ...process.env, ...registry.environment },
        },
      );
    const lock = () => readFile(join(folder, "package-lock.json"), "utf8");
    try {
      await writeLock({ optional: true, os: ["darwin"] });
      expect((await complete()).stdout).toContain("1 hashes written");
      expect(JSON.parse(await lock()).packages["node_modules/part"]).toEqual({
        version: "1.0.0",
        integrity: registry.integrity,
        optional: true,
        os: ["darwin"],
      });
      const completed = await lock();
      expect((await complete()).stdout).toContain("0 hashes written");
      expect(await lock()).toBe(completed);

      await writeLock({ name: "missing-part" });
      await expect(complete()).rejects.toThrow(
        /the registry has no hash of missing-part@1.0.0|Command failed/,
      );
    } finally {
      await registry.close();
    }
  });
});
