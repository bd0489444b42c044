import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { build } from "esbuild";

import { writeAtomic } from "#node/write-atomic.ts";

import { packageVersion } from "./package-version.ts";
import { root } from "./root.ts";

/** Node 20 is the oldest that a server may have. */
const TARGET = "node20";

/**
 * `ws` and `send` are CommonJS and ask for Node's own modules with `require`, which a module does not have by itself.
 * The rest is what our own code uses of the language that Node 20 lacks: esbuild rewrites syntax, not functions.
 */
const PREAMBLE = `#!/usr/bin/env node
import { createRequire } from "node:module"; const require = createRequire(import.meta.url);
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new this((yes, no) => { resolve = yes; reject = no; });
  return { promise, resolve, reject };
};`;

/** The agent as one file that a server needs nothing for but Node and git. The same sources give the same bytes. */
export async function bundleAgent(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/agent/main/main.ts"],
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: TARGET,
    banner: { js: PREAMBLE },
    logLevel: "error",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild made no file");
  return file.text;
}

/**
 * Bundles the agent for people who install it by hand.
 * @returns the file's path
 */
export async function buildAgent(path = join(root, "build", "gantry-agent.mjs")): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeAtomic(path, await bundleAgent(), { uniqueDraft: true });
  return path;
}

const INSTALLER = join(root, "src", "agent", "install", "install.sh");

/**
 * What an installation serves to servers, by its path below the assets: the agent under a name that changes with it, and
 * the installer that knows this name and the file's hash. `@ORIGIN@` in the installer is for the Worker to fill in.
 */
export async function agentFiles(): Promise<Map<string, string>> {
  const agent = await bundleAgent();
  const hash = createHash("sha256").update(agent).digest("hex");
  const version = await packageVersion();
  const name = `gantry-agent-${version}-${hash.slice(0, 12)}.mjs`;
  const installer = (await readFile(INSTALLER, "utf8"))
    .replace("@AGENT_VERSION@", version)
    .replace("@AGENT_FILE@", name)
    .replace("@AGENT_SHA256@", hash);
  return new Map([
    ["install.sh", installer],
    [`agent/${name}`, agent],
  ]);
}
