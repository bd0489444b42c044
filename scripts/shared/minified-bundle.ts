import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";

import { minify, type MinifyOptions } from "terser";
import * as z from "zod";

import { parseObject } from "#contract/lib/json-object.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** A script and its source map. */
export type Bundle = { readonly code: string; readonly map: string };

const options: MinifyOptions = {
  module: true,
  ecma: 2020,
  // The options with the smallest result after gzip: it compresses repeated statements better than sequences, and calls of
  // one function better than its copies. Terser declares an enum for `inline` that it does not export.
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
  compress: { passes: 3, sequences: false, inline: 1 },
};

const Kept = z.object({ key: z.string(), code: z.string(), map: z.string() });

/**
 * Minifies a bundle with Terser, and keeps the result for the next call, because Terser takes several seconds of CPU time
 * and a release is often repeated with the same code.
 * @param url of the map, which the code refers to
 * @param keptPath a file with the last result
 */
export async function minifyBundle({ code, map }: Bundle, url: string, keptPath: string): Promise<Bundle> {
  // Not `sourceRoot`: the bundle is made in another folder each time, which does not change its code.
  const { sourceRoot: _, ...sources } = parseObject(map);
  const inputs = JSON.stringify([await terserVersion(), options, url, code, sources]);
  const key = createHash("sha256").update(inputs).digest("hex");
  const kept = Kept.safeParse(parseObject(await readFile(keptPath, "utf8").catch(() => "")));
  if (kept.success && kept.data.key === key) return kept.data;
  const sourceMap = { content: map, url, asObject: false };
  // Terser changes the options that it gets.
  const minified = await minify(code, { ...structuredClone(options), sourceMap });
  if (minified.code === undefined || typeof minified.map !== "string")
    throw new Error("Terser returned no code or no source map");
  const bundle = { code: minified.code, map: minified.map };
  await mkdir(dirname(keptPath), { recursive: true });
  await writeAtomic(keptPath, JSON.stringify({ key, ...bundle }), { uniqueDraft: true });
  return bundle;
}

async function terserVersion(): Promise<unknown> {
  const manifest = new URL(import.meta.resolve("terser/package.json"));
  return parseObject(await readFile(manifest, "utf8"))["version"];
}
