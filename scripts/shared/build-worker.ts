import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { bundleWorker, MAIN_FILE, writeBundle } from "./bundle-worker.ts";
import { writeLocalSettings } from "./local-settings.ts";
import { root } from "./root.ts";

/** The sources of the bundle and the files beside it. The lock file stands for the packages. */
const INPUTS = [
  "src/worker",
  "src/contract",
  "src/project-files",
  "src/domain",
  "src/agent",
  "src/node",
  "src/build",
  "src/sealing",
  "src/client",
  "src/cli",
  "src/dashboard",
  "src/docs",
  "docs",
  "scripts/reference",
  "scripts/packages",
  "scripts/shared/build-agent.ts",
  "scripts/shared/build-command.ts",
  "scripts/shared/bundle.ts",
  "scripts/shared/require-http.ts",
  "scripts/shared/write-package.ts",
  "scripts/shared/browser-bundle.ts",
  "scripts/shared/bundle-worker.ts",
  "scripts/shared/build-dashboard.ts",
  "scripts/shared/build-docs-files.ts",
  "scripts/shared/local-settings.ts",
  "migrations",
  "wrangler.toml",
  "package.json",
  "package-lock.json",
];

const OUTPUT = join(root, "build", "worker");
const SITES = "sites.mjs";
/** How many bundles to keep. Another home may be running an older bundle. */
const KEPT_BUNDLES = 5;

export type WorkerBuild =
  | { readonly ok: true; readonly bundle: string; readonly isFresh: boolean }
  | { readonly ok: false; readonly output: string };

/**
 * Builds the Worker into a folder that is named after the hash of its sources, unless the folder exists.
 * A running Worker keeps its bundle that way, and parallel builds do not disturb each other.
 */
export async function buildWorker(): Promise<WorkerBuild> {
  const folder = join(OUTPUT, await hashOfInputs());
  const bundle = join(folder, MAIN_FILE);
  const isFresh = !existsSync(bundle);
  if (isFresh) {
    const draft = `${folder}.${process.pid}.tmp`;
    // Not minified, so that the stack traces in local logs are readable.
    const bundled = await bundleWorker(draft);
    if (!bundled.ok) return bundled;
    await writeBundle(draft, bundled.files);
    // Loaded here, because the modules take as long to load as the rest of this file, and most calls find a bundle.
    const [{ buildAssets }, { buildSites }] = await Promise.all([
      import("../reference/build-assets.ts"),
      import("./build-agent.ts"),
    ]);
    // Beside the bundle, so that a running Worker keeps its files too.
    await Promise.all([
      buildAssets(join(draft, "assets")),
      buildSites(join(draft, SITES)),
      writeLocalSettings(draft),
    ]);
    // The rename fails if a parallel build of the same sources was faster. Its bundle is the same.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
    await removeOldBundles();
  }
  return { ok: true, bundle, isFresh };
}

/**
 * Finds the agent that servers download from a built Worker. It starts with a third of the CPU time that the sources take.
 * @param bundle the file that buildWorker built
 */
export async function agentBeside(bundle: string): Promise<string> {
  const folder = join(dirname(bundle), "assets", "agent");
  const name = (await readdir(folder)).find((file) => file.endsWith(".mjs"));
  if (name === undefined) throw new Error(`there is no agent in ${folder}`);
  return join(folder, name);
}

/** The bundle of the site server beside a built Worker. @param bundle the file that buildWorker built */
export function sitesBeside(bundle: string): string {
  return join(dirname(bundle), SITES);
}

async function hashOfInputs(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of (await Promise.all(INPUTS.map(filesBelow))).flat())
    hash
      .update(`${path}\0`)
      .update(await readFile(join(root, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

async function filesBelow(path: string): Promise<string[]> {
  const full = join(root, path);
  if ((await stat(full)).isFile()) return [path];
  const names = await readdir(full, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
}

async function removeOldBundles(): Promise<void> {
  await mkdir(OUTPUT, { recursive: true });
  const names = (await readdir(OUTPUT)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(OUTPUT, name))).mtimeMs })),
  );
  for (const { name } of dated.toSorted((a, b) => b.at - a.at).slice(KEPT_BUNDLES))
    await rm(join(OUTPUT, name), { recursive: true, force: true });
}
