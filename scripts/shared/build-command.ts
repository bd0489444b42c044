import { join } from "node:path";

import { build } from "esbuild";

import { type Bundle, bundleOf } from "./bundle.ts";
import { bundledYaml } from "./bundled-yaml.ts";
import { packageVersion } from "./package-version.ts";
import { REQUIRE, requireHttp } from "./require-http.ts";
import { root } from "./root.ts";
import { type PackageName, writePackage } from "./write-package.ts";

/** The oldest Node version that the command runs on. */
const NODE = "20.3";

/**
 * Builds the folder of the command's package, for `npm pack`.
 * @returns the folder's path; `gantry.mjs` in it is the whole command
 */
export async function buildCommand(folder = join(root, "build", "package")): Promise<string> {
  await writeCommandPackage(folder, { name: "gantry", version: await packageVersion() });
  return folder;
}

/**
 * Writes the files of the command's package, which is one file without dependencies.
 * @param folder is replaced
 * @returns the paths of what is bundled, relative to the repository
 */
export async function writeCommandPackage(
  folder: string,
  { name, version }: PackageName,
): Promise<readonly string[]> {
  const program = "gantry.mjs";
  const manifest = {
    name,
    version,
    description: "Deploy git repositories to your own servers, by an installation of Gantry",
    bin: { gantry: program },
    engines: { node: `>=${NODE}` },
  };
  const { code, sources } = await bundleCommand("esm");
  await writePackage(folder, { manifest, files: { [program]: code }, part: "cli" });
  return sources;
}

/**
 * Bundles the command into one file. Equal sources give equal bytes.
 * @param format `cjs` for a single executable, which runs no ES modules
 */
export async function bundleCommand(format: "esm" | "cjs"): Promise<Bundle> {
  const built = await build({
    absWorkingDir: root,
    entryPoints: ["src/cli/main.ts"],
    write: false,
    metafile: true,
    bundle: true,
    platform: "node",
    format,
    target: `node${NODE}`,
    alias: bundledYaml,
    banner: { js: format === "esm" ? `#!/usr/bin/env node\n${REQUIRE}` : "" },
    plugins: format === "esm" ? [requireHttp] : [],
    logLevel: "error",
  });
  return bundleOf(built);
}
