import { join } from "node:path";

import { build } from "esbuild";

import { root } from "./root.ts";

/** Node 20 is the oldest that a server may have. */
const TARGET = "node20";

/** `ws` and `send` are CommonJS and ask for Node's own modules with `require`, which a module does not have by itself. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Bundles the agent into one file that a server needs nothing for but Node and git.
 * @returns the file's path
 */
export async function buildAgent(outfile = join(root, "build", "gantry-agent.mjs")): Promise<string> {
  await build({
    entryPoints: [join(root, "src/agent/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: TARGET,
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
    logLevel: "error",
  });
  return outfile;
}
