import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { keepBundle } from "../../scripts/start/keep-bundle.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-bundle-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function build(name: string): string {
  const built = join(folder, "build", name);
  mkdirSync(join(built, "assets"), { recursive: true });
  writeFileSync(join(built, "main.js"), "the Worker");
  writeFileSync(join(built, "assets", "index.html"), `page of ${name}`);
  return join(built, "main.js");
}

it("A start serves its own copy of a build, also when build/ is deleted, and keeps no copy of another", async () => {
  const home = join(folder, "home");
  mkdirSync(join(home, "bundles", "two.tmp"), { recursive: true });
  writeFileSync(join(home, "bundles", "two.tmp", "left.txt"), "of a start that was killed");
  await keepBundle(home, build("one"));
  const kept = await keepBundle(home, build("two"));
  expect(await keepBundle(home, build("two"))).toBe(kept);
  rmSync(join(folder, "build"), { recursive: true });
  expect(readFileSync(kept, "utf8")).toBe("the Worker");
  expect(readFileSync(join(dirname(kept), "assets", "index.html"), "utf8")).toBe("page of two");
  expect(readdirSync(dirname(kept)).toSorted()).toEqual(["assets", "main.js"]);
  expect(readdirSync(join(home, "bundles"))).toEqual(["two"]);
});
