import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { build } from "esbuild";

import type { Bundle } from "./build-agent.ts";
import { bundledYaml } from "./bundled-yaml.ts";
import { packageVersion } from "./package-version.ts";
import { REQUIRE, requireHttp } from "./require-http.ts";
import { root } from "./root.ts";

/** The oldest Node version that the command runs on. */
const NODE = "20.3";

/** What a package is named in npm, and its version. */
export type PackageName = { readonly name: string; readonly version: string };

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
    license: "MIT",
    type: "module",
    bin: { gantry: program },
    files: [program],
    engines: { node: `>=${NODE}` },
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { code, sources } = await bundleCommand("esm");
  await writeFile(join(folder, program), code);
  await chmod(join(folder, program), 0o755);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(join(root, "src", "cli", "README.md"), join(folder, "README.md"));
  return sources;
}

/**
 * Bundles the command into one file. Equal sources give equal bytes.
 * @param format `cjs` for a single executable, which runs no ES modules
 */
export async function bundleCommand(format: "esm" | "cjs"): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
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
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote no file");
  return { code: file.text, sources: Object.keys(metafile.inputs) };
}
