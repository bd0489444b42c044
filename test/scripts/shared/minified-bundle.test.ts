import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { minifyBundle } from "../../../scripts/shared/minified-bundle.ts";

let folder: string;
let kept: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-minified-"));
  kept = join(folder, "build", "kept.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bundleOf = (code: string, sourceRoot = "/a") => ({
  code,
  map: JSON.stringify({ version: 3, sourceRoot, sources: ["a.ts"], names: [], mappings: "AAAA" }),
});
const minified = (bundle: ReturnType<typeof bundleOf>) => minifyBundle(bundle, "main.js.map", kept);
const first = bundleOf("export function double(number) { return number + number; }");

it("minifies code once, whichever folder its bundle was made in", async () => {
  const { code, map } = await minified(first);
  expect(code).toMatch(
    /^export function double\((\w)\)\{return \1\+\1\}\n\/\/# sourceMappingURL=main\.js\.map$/,
  );
  expect(JSON.parse(map)).toMatchObject({ version: 3 });
  await writeFile(kept, (await readFile(kept, "utf8")).replace("double", "kept"));
  expect((await minified({ ...first, map: bundleOf("", "/b").map })).code).toContain("function kept(");
});

it("minifies other code, another map, and again when the kept result cannot be read", async () => {
  await minified(first);
  const other = bundleOf("export function half(number) { return number / 2; }");
  expect((await minified(other)).code).toContain("function half(");
  await writeFile(kept, "{");
  expect((await minified(other)).code).toContain("function half(");
  await writeFile(kept, (await readFile(kept, "utf8")).replace("half", "kept"));
  const otherMap = other.map.replace("a.ts", "b.ts");
  expect((await minified({ ...other, map: otherMap })).code).toContain("function half(");
});
