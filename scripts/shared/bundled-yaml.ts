import { join } from "node:path";

import { root } from "./root.ts";

/**
 * For esbuild: `yaml` in ES modules, of which only what is used is bundled. The files for Node are CommonJS, and cannot be
 * bundled into an ES module without `require`.
 */
export const bundledYaml = { yaml: join(root, "node_modules", "yaml", "browser", "dist", "index.js") };
