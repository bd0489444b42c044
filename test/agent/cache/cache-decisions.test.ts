import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type CacheEntry, entriesWithin } from "#agent/cache/cache-index.ts";
import { readManifests } from "#agent/run/cache/read-manifests.ts";
import { newPaths, surveyRelease } from "#agent/cache/survey-release.ts";

describe("a cache over its limit", () => {
  const entry = (version: number, bytes: number, used_by: number): CacheEntry => ({
    ...{ name: `build-${version}`, kind: "build", key: `${version}`, version, paths: ["a"], bytes, used_by },
  });

  it("loses the entries that were not used for the longest time", () => {
    const entries = [entry(1, 40, 6), entry(2, 40, 4), entry(3, 40, 5)];
    expect(entriesWithin(entries, 100).map(({ version }) => version)).toEqual([1, 3]);
    expect(entriesWithin(entries, 120)).toEqual(entries);
    expect(entriesWithin(entries, 0)).toEqual([]);
  });
});

let release: string;
beforeEach(() => {
  release = mkdtempSync(join(tmpdir(), "gantry-release-"));
});
afterEach(() => rmSync(release, { recursive: true }));

function write(files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(release, name, ".."), { recursive: true });
    writeFileSync(join(release, name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

describe("the files that an installation makes", () => {
  it("are found without looking into new folders, which may have millions of files", async () => {
    const { signal } = new AbortController();
    write({ "package.json": {}, "src/a.js": "" });
    const before = await surveyRelease(release, signal);
    write({ ".venv/lib/a.py": "", "src/generated/b.js": "", "src/c.js": "" });
    const after = await surveyRelease(release, signal, before);
    expect(newPaths(before, after).toSorted()).toEqual([".venv", "src/c.js", "src/generated"]);
    expect(after.paths).not.toContain(".venv/lib");
  });
});

describe("the files that an installation reads", () => {
  const read = async () => readManifests(release, await surveyRelease(release, new AbortController().signal));
  const digest = async () => {
    const found = await read();
    return found.ok ? found.value.digest : found.reason;
  };

  it("are those of every package, their patches and the schemas that clients are generated from", async () => {
    write({
      "package.json": {},
      "packages/a/package.json": {},
      "patches/lib.patch": "1",
      "prisma/schema.prisma": "1",
    });
    const before = await digest();
    write({ "src/index.js": "1", "README.md": "1" });
    expect(await digest()).toBe(before);
    for (const name of ["packages/a/package.json", "patches/lib.patch", "prisma/schema.prisma", ".npmrc"]) {
      const earlier = await digest();
      write({ [name]: "changed" });
      expect(await digest()).not.toBe(earlier);
    }
  });

  it("tell which packages have scripts that an installation runs, and which depend on a folder", async () => {
    write({
      "package.json": { scripts: { build: "x", postinstall: "x" } },
      "packages/a/package.json": { dependencies: { b: "file:../b" } },
      "packages/b/binding.gyp": "{}",
    });
    expect(await read()).toMatchObject({
      value: {
        scripts: new Map([
          [".", new Set(["postinstall"])],
          ["packages/b", new Set(["install"])],
        ]),
        folderDependency: "packages/a/package.json",
      },
    });
    write({ "packages/a/package.json": { dependencies: { b: "file:../b.tgz" } } });
    expect(await read()).toMatchObject({ value: { folderDependency: null } });
  });

  it("tell whether an installation copies folders whose files do not count", async () => {
    write({ "package.json": { pnpm: { overrides: { lib: "file:lib" } } } });
    expect(await read()).toMatchObject({ value: { folderDependency: "package.json", copiedFolder: null } });
    const path = { type: "path", url: "lib" };
    write({
      "composer.json": { repositories: [path] },
      "pyproject.toml": 'lib = {path = "lib", develop = true}',
    });
    expect(await read()).toMatchObject({ value: { copiedFolder: null } });
    for (const [name, content] of [
      ["composer.json", { repositories: [{ ...path, options: { symlink: false } }] }],
      ["pnpm-lock.yaml", "packages:\n  lib@file:lib:\n    resolution: {directory: lib, type: directory}\n"],
      ["pyproject.toml", '[tool.poetry.dependencies]\nlib = { path = "./lib" }\n'],
    ] as const) {
      write({ [name]: content });
      expect(await read()).toMatchObject({ value: { copiedFolder: name } });
      rmSync(join(release, name));
    }
  });

  it("are not read through a link, nor if the repository has packages that are installed", async () => {
    write({ "package.json": {} });
    symlinkSync("/etc/passwd", join(release, ".npmrc"));
    expect(await digest()).toBe("`.npmrc` is a symbolic link");
    rmSync(join(release, ".npmrc"));
    write({ "fixtures/node_modules/lib/index.js": "" });
    expect(await digest()).toBe("the repository has `fixtures/node_modules`");
  });

  it("are read soon, whatever they have", async () => {
    // With quadratic time, the test would not end.
    write({ "package.json": {}, ".npmrc": "\n".repeat(1_000_000) });
    expect(await read()).toMatchObject({ value: { isCopiedByNpm: false } });
  });
});
