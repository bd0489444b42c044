import { join } from "node:path";

import { build } from "esbuild";

/** The HPKE checks as one script, which sets the global `hpke`, for a runtime without modules of this repository. */
export async function bundleHpkeChecks(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "hpke-checks.ts")],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "hpke",
    target: "node20",
  });
  return outputFiles[0]?.text ?? "";
}
