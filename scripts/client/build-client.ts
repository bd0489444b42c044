import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { build } from "esbuild";

import type { Bundle } from "../shared/build-agent.ts";
import type { PackageName } from "../shared/build-command.ts";
import { root } from "../shared/root.ts";
import { bundleDeclarations } from "./bundle-declarations.ts";

/** The oldest Node version that the client runs on: `AbortSignal.any`. */
const NODE = "20.3";

/**
 * Builds the folder of the package of the client, for `npm pack`: a module without dependencies, and its types.
 * @param folder is replaced
 * @returns the paths of what is bundled, relative to the repository
 */
export async function buildClient(
  folder: string,
  { name, version }: PackageName,
): Promise<readonly string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest = {
    name,
    version,
    description: "A client of the API of Gantry, for Node, browsers, Workers, Deno and Bun",
    license: "MIT",
    type: "module",
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    types: "./index.d.ts",
    sideEffects: false,
    files: ["index.js", "index.d.ts"],
    engines: { node: `>=${NODE}` },
  };
  const { code, sources } = await bundleClient();
  await Promise.all([
    writeFile(join(folder, "index.js"), code),
    bundleDeclarations().then((types) => writeFile(join(folder, "index.d.ts"), types)),
    writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`),
    cp(join(root, "src", "library", "README.md"), join(folder, "README.md")),
    cp(join(root, "LICENSE"), join(folder, "LICENSE")),
  ]);
  return sources;
}

/** The code of the client. Not minified, so that its users can read it and the traces of errors. */
export async function bundleClient(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/library/index.ts"],
    write: false,
    metafile: true,
    bundle: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import"],
    format: "esm",
    target: "es2022",
    logLevel: "error",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote no file");
  return { code: file.text, sources: Object.keys(metafile.inputs) };
}
