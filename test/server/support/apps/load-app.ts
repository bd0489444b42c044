import { join } from "node:path";

import { buildSync } from "esbuild";

const source = join(import.meta.dirname, "../../../support/load/app.mjs");

/** The app of the load, with its imports, in a file that needs no packages. */
export function loadAppText(): string {
  const { outputFiles } = buildSync({
    entryPoints: [source],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
