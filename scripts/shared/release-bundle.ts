import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { minifyBundle } from "./minified-bundle.ts";
import { root } from "./root.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "./run-command.ts";

const MAP = "main.js.map";

/**
 * Builds the Worker as it is released: bundled by wrangler, and minified by Terser, whose result is 4 % smaller than that
 * of wrangler's esbuild. `wrangler deploy FILE --no-bundle` uploads it with its source map.
 * @param folder gets main.js and main.js.map
 */
export async function buildReleaseBundle(folder: string): Promise<CommandOutcome> {
  const outdir = relative(root, folder);
  const built = await runCommand(["wrangler", "deploy", "--dry-run", "--no-minify", "--outdir", outdir], {
    env: quietWrangler,
  });
  if (built.code !== 0) return built;
  const [bundle, mapPath] = [releasedFile(folder), join(folder, MAP)];
  const [code, map] = await Promise.all([readFile(bundle, "utf8"), readFile(mapPath, "utf8")]);
  const minified = await minifyBundle({ code, map }, MAP, join(root, "build", "minified-worker.json"));
  await Promise.all([writeFile(bundle, minified.code), writeFile(mapPath, minified.map)]);
  return built;
}

/** The file that `buildReleaseBundle` writes. */
export function releasedFile(folder: string): string {
  return join(folder, "main.js");
}

/**
 * The arguments of `wrangler deploy` for what `buildReleaseBundle` wrote.
 * @param config wrangler would otherwise look for it beside the bundle
 */
export function deployReleaseBundle(folder: string, config = join(root, "wrangler.toml")) {
  return ["deploy", releasedFile(folder), "--no-bundle", "--no-minify", "--config", config] as const;
}

/** Writes what `wrangler deploy` would upload to a file, for `wrangler check startup`. */
export async function packReleaseBundle(folder: string, file: string): Promise<CommandOutcome> {
  const args = [...deployReleaseBundle(folder), "--dry-run", "--outfile", file] as const;
  return await runCommand(["wrangler", ...args], { env: quietWrangler });
}
