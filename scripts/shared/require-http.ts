import type { Plugin } from "esbuild";

/**
 * Loads `http` with `require`. An `import` reads all of a module's properties, and some of http load undici, which takes a
 * fifth of the CPU time of a program's start. The bundle needs `REQUIRE` at its beginning.
 */
export const requireHttp: Plugin = {
  name: "require-http",
  setup(bundler) {
    bundler.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "required" } : null,
    );
    bundler.onLoad({ filter: /^/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** The first line of an ES module whose parts load Node's modules with `require`, which ES modules do not have. */
export const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
