import { build } from "esbuild";

import { type Bundle, bundleOf } from "../shared/bundle.ts";
import { root } from "../shared/root.ts";
import { type PackageName, writePackage } from "../shared/write-package.ts";
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
  const manifest = {
    name,
    version,
    description: "A client of the API of Gantry, for Node, browsers, Workers, Deno and Bun",
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    types: "./index.d.ts",
    sideEffects: false,
    engines: { node: `>=${NODE}` },
  };
  const { code, sources } = await bundleClient();
  const files = { "index.js": code, "index.d.ts": await bundleDeclarations() };
  await writePackage(folder, { manifest, files, part: "library" });
  return sources;
}

/** The code of the client. Not minified, so that its users can read it and the traces of errors. */
export async function bundleClient(): Promise<Bundle> {
  const built = await build({
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
  return bundleOf(built);
}
