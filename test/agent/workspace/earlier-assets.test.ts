import { readdirSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  decideKept,
  expireAssets,
  keepAssets,
  MAX_KEPT,
  MAX_KEPT_BYTES,
} from "#agent/ingress/earlier-assets.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { readRelease } from "#agent/workspace/releases.ts";
import type { RunOrder } from "#contract/agent-order.ts";

import { World } from "../support/harness.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  world.repository.commit({ "README.md": "" });
});
afterEach(() => world.close());

const js = (hash: string) => `assets/index-${hash}.js`;
const [first, second, shared] = [js("AAbbcc11"), js("AAbbcc22"), js("AAbbcc99")];

const folder = () => projectFolder(world.home, world.projectId);

/** Deploys a release with these files in `dist`. Each contains its path. */
async function deploy(files: readonly string[], order: Partial<RunOrder> = {}): Promise<void> {
  const all = ["dist/index.html", ...files.map((file) => `dist/${file}`)];
  const script = all.map((file) => `mkdir -p $(dirname ${file}); echo ${file} > ${file}`).join("; ");
  const build = { build_command: script, output_directory: "dist", ...order };
  expect((await world.deploy(build)).result).toMatchObject({ outcome: "live" });
  await untilKept(order.asset_overlap !== 0);
}

/** The files are kept after the result is reported, and before the next run. */
async function untilKept(isKept = true): Promise<void> {
  const release = `${Math.max(...world.releases)}`;
  await expect
    .poll(
      () =>
        world.has("assets.json") && world.read("assets.json").includes(`"version":${release},"endedAt":null`),
    )
    .toBe(isKept);
}

describe("the files of a release that was live", () => {
  it("are kept if their names have a hash, also after the release is removed", async () => {
    await world.startAgent();
    await deploy([first, shared, "app.js", "assets/page-AAbbcc11.html"]);
    for (const _ of ["the one before is kept", "and goes"]) await deploy([second, shared]);
    expect(world.has("releases/1")).toBe(false);
    expect(world.read(`assets/1/${first}`)).toBe(`dist/${first}\n`);
    for (const path of ["assets/1/app.js", "assets/1/assets/page-AAbbcc11.html", "assets/1/index.html"])
      expect([path, world.has(path)]).toEqual([path, false]);
  });

  it("are dropped when their time is over, and at once if the project keeps none", async () => {
    await world.startAgent();
    await deploy([first], { asset_overlap: 60 });
    await deploy([second], { asset_overlap: 60 });
    await expireAssets(folder(), Date.now() + 59_000);
    expect(world.has(`assets/1/${first}`)).toBe(true);
    await expireAssets(folder(), Date.now() + 61_000);
    expect(world.has("assets/1")).toBe(false);
    expect(world.has(`assets/2/${second}`)).toBe(true);
    await deploy([first], { asset_overlap: 0 });
    await expect.poll(() => world.has("assets")).toBe(false);
  });

  it("are kept at the next switch too, if the agent did not get to it at the last one", async () => {
    await world.startAgent();
    await deploy([first]);
    await Promise.all(["assets", "assets.json"].map((path) => rm(world.path(path), { recursive: true })));
    await deploy([second]);
    expect(world.has(`assets/1/${first}`)).toBe(true);
  });

  it("are never links, which would show visitors what only the agent may read", async () => {
    await world.startAgent();
    await deploy([first, second]);
    const release = await readRelease(folder(), 1);
    if (release === null) throw new Error("no release");
    // What remains if the project replaced the file in the moment in which it was linked, and the agent was killed then.
    await rm(world.path("assets/1", first));
    await symlink(join(world.home, "agent.json"), world.path("assets/1", first));
    const outside = world.path("shared/outside");
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, "index-AAbbcc33.js"), "outside");
    await symlink(outside, world.path("releases/1/dist/linked"));
    await keepAssets(folder(), release, null, { now: Date.now(), overlapSeconds: 60 });
    expect(world.has(`assets/1/${first}`)).toBe(false);
    expect(world.read(`assets/1/${second}`)).toBe(`dist/${second}\n`);
    expect(world.has("assets/1/linked")).toBe(false);
  });

  it("of an app are those of its public folders", async () => {
    await world.startAgent();
    const kept = [
      "public/assets/app-1a2b3c4d.css",
      ".next/static/chunks/main.js",
      "staticfiles/css/base.55e7cbb9ba48.css",
    ];
    const others = [
      "staticfiles/staticfiles.json",
      "dist/server/entry-1a2b3c4d.js",
      "lib/secret-1a2b3c4d.js",
    ];
    world.repository.commit(Object.fromEntries([...kept, ...others].map((path) => [path, ""])));
    expect((await world.deploy({ asset_overlap: 0 })).result).toMatchObject({ outcome: "live" });
    const release = await readRelease(folder(), 1);
    if (release === null) throw new Error("no release");
    await keepAssets(folder(), { ...release, published: false }, null, {
      now: Date.now(),
      overlapSeconds: 1,
    });
    const found = readdirSync(world.path("assets/1"), { recursive: true, withFileTypes: true });
    const paths = found.flatMap((file) => (file.isFile() ? [join(file.parentPath, file.name)] : []));
    expect(paths.map((path) => relative(world.path("assets/1"), path)).toSorted()).toEqual([
      "_next/static/chunks/main.js",
      "assets/app-1a2b3c4d.css",
      "static/css/base.55e7cbb9ba48.css",
    ]);
  });
});

describe("which releases keep their files", () => {
  const kept = fc.array(
    fc.record({
      version: fc.integer({ min: 1, max: 99 }),
      endedAt: fc.nat(200_000),
      bytes: fc.nat(MAX_KEPT_BYTES),
    }),
    { maxLength: 40 },
  );

  it("is limited in time, number and bytes, and always includes the live one", () => {
    fc.assert(
      fc.property(kept, fc.nat(400_000), fc.nat(200), (ended, now, overlap) => {
        const live = { version: 100, endedAt: null, bytes: 2 * MAX_KEPT_BYTES };
        expect(decideKept([live, ...ended], now, overlap)).toEqual([live]);
        const left = decideKept(ended, now, overlap);
        expect(left.length).toBeLessThanOrEqual(MAX_KEPT);
        expect(left.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(MAX_KEPT_BYTES);
        for (const { endedAt } of left) expect((endedAt ?? now) + overlap * 1000).toBeGreaterThan(now);
        // The same again, and nothing is forgotten that a later time would keep.
        expect(decideKept(left, now, overlap)).toEqual(left);
      }),
    );
  });
});
