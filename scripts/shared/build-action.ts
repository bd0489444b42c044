import { build } from "esbuild";

import { root } from "./root.ts";

/** The folder of the bundle, which is tracked: GitHub runs an action as it is in its repository. */
export const actionFolder = "action";

/** The Node version that `action.yml` names. */
const TARGET = "node24";

/**
 * Bundles the action for GitHub: both parts of its step, and what they share. Equal sources give equal bytes.
 * @returns the texts of the files by their paths in the repository
 */
export async function bundleAction(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/action/main.ts", "src/action/cancel.ts"],
    outdir: actionFolder,
    chunkNames: "shared",
    splitting: true,
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: TARGET,
    banner: { js: "// Made of src/action by npm run reference." },
    minify: true,
    logLevel: "error",
  });
  return new Map(outputFiles.map(({ path, text }) => [path.slice(root.length + 1), text]));
}
