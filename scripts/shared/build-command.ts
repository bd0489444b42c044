import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { build } from "esbuild";

import { bundledYaml } from "./bundled-yaml.ts";
import { packageVersion } from "./package-version.ts";
import { root } from "./root.ts";

/** The oldest Node version that the command runs on. */
const NODE = "20.3";

/** The package's own package.json. The package is one file without dependencies. */
const manifest = {
  name: "gantry",
  description: "Deploy git repositories to your own servers, by an installation of Gantry",
  license: "MIT",
  type: "module",
  bin: { gantry: "gantry.mjs" },
  files: ["gantry.mjs"],
  engines: { node: `>=${NODE}` },
};

/**
 * Builds the folder of the command's package, for `npm pack`.
 * @returns the folder's path; `gantry.mjs` in it is the whole command
 */
export async function buildCommand(folder = join(root, "build", "package")): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const program = join(folder, "gantry.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["src/cli/main.ts"],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: `node${NODE}`,
    alias: bundledYaml,
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "error",
  });
  await chmod(program, 0o755);
  await writeFile(
    join(folder, "package.json"),
    `${JSON.stringify({ ...manifest, version: await packageVersion() }, null, 2)}\n`,
  );
  await cp(join(root, "src", "cli", "README.md"), join(folder, "README.md"));
  return folder;
}
