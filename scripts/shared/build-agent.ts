import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { build, type Plugin } from "esbuild";

import { writeAtomic } from "#node/write-atomic.ts";

import { type Bundle, bundleOf } from "./bundle.ts";
import { bundledYaml } from "./bundled-yaml.ts";
import { renderInstaller } from "./installer.ts";
import { packageVersion } from "./package-version.ts";
import { REQUIRE, requireHttp } from "./require-http.ts";
import { root } from "./root.ts";

/** The oldest Node version that servers may have. */
const TARGET = "node20";

/**
 * `ws` and `send` are CommonJS and load Node's modules with `require`, which ES modules do not have. The rest is a
 * polyfill for Node 20: esbuild rewrites syntax, but not functions.
 */
const PREAMBLE = `#!/usr/bin/env node
${REQUIRE}
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new this((yes, no) => { resolve = yes; reject = no; });
  return { promise, resolve, reject };
};`;

/** The exports that the agent and `ws` use of modules that an idle agent may never need, by the module's name. */
const lazyExports: ReadonlyMap<string, readonly string[]> = new Map([
  ["https", ["Agent", "request"]],
  ["tls", ["connect"]],
  [
    "zlib",
    [
      ...["createDeflateRaw", "createInflateRaw", "Z_DEFAULT_WINDOWBITS", "Z_SYNC_FLUSH"],
      ...["createGzip", "createGunzip", "createZstdCompress", "createZstdDecompress"],
    ],
  ],
]);

/**
 * Loads these modules when one of their exports is first used: TLS takes 2 MB of memory, which an agent beside its control
 * plane does not need. `ws` compresses only if it is asked to.
 */
const loadLazily: Plugin = {
  name: "load-lazily",
  setup(bundler) {
    bundler.onResolve({ filter: /^(node:)?(https|tls|zlib)$/ }, ({ path, namespace }) =>
      namespace === "file" ? { path: path.replace("node:", ""), namespace: "lazy" } : null,
    );
    bundler.onLoad({ filter: /^/, namespace: "lazy" }, ({ path }) => {
      const getters = (lazyExports.get(path) ?? []).map((name) => `get ${name}() { return load().${name}; }`);
      return {
        contents: `let loaded;
const load = () => (loaded ??= require("node:${path}"));
module.exports = { ${getters.join(", ")} };`,
      };
    });
  },
};

/** Bundles the agent into one file. A server needs only Node and git to run it. Equal sources give equal bytes. */
export async function bundleAgent(): Promise<string> {
  return (await bundleAgentWithSources()).code;
}

/** As `bundleAgent`, with the paths of the files that it is made of. */
export function bundleAgentWithSources(): Promise<Bundle> {
  return bundleProgram("src/agent/main/main.ts");
}

async function bundleProgram(main: string): Promise<Bundle> {
  const built = await build({
    absWorkingDir: root,
    entryPoints: [main],
    write: false,
    metafile: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: TARGET,
    alias: bundledYaml,
    banner: { js: PREAMBLE },
    // Node keeps the text in memory. Names stay, so that the trace of an error can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [requireHttp, loadLazily],
    logLevel: "error",
  });
  return bundleOf(built);
}

/** Writes the bundle for users who install the agent by hand. @returns the file's path */
export async function buildAgent(path = join(root, "build", "gantry-agent.mjs")): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeAtomic(path, await bundleAgent(), { uniqueDraft: true });
  return path;
}

/** Writes the bundle of the site server, which starts with half of the CPU time that the sources take. */
export async function buildSites(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const { code } = await bundleProgram("src/agent/sites/main.ts");
  await writeAtomic(path, code, { uniqueDraft: true });
}

/**
 * The files that servers download, by their paths below the assets: the agent, with its hash in the name, and the
 * installer, which contains this name, the whole hash, the scripts of the isolation helper, and the strict policy.
 */
export async function agentFiles(): Promise<Map<string, string>> {
  const agent = await bundleAgent();
  const hash = createHash("sha256").update(agent).digest("hex");
  const version = await packageVersion();
  const file = `gantry-agent-${version}-${hash.slice(0, 12)}.mjs`;
  return new Map([
    ["install.sh", await renderInstaller({ version, file, sha256: hash })],
    [`agent/${file}`, agent],
  ]);
}
