import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";

import { type CacheEntry, readCacheIndex } from "#agent/cache/cache-index.ts";
import { branchKey, findBranchEntry } from "#agent/run/cache/branch-entry.ts";
import { cacheLimit } from "#agent/run/cache/cache-limit.ts";
import { restoreEntry, storeEntry } from "#agent/run/cache/copy-entry.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import { buildCachesOf } from "#project-files/frameworks/build-caches.ts";

/**
 * The folders in which the build keeps what the next one may use again, relative to the release. Without those that the
 * repository has itself.
 * @param release the real path, like `root`, before anything was installed
 */
export async function findBuildCaches(
  framework: string,
  release: string,
  root: string,
): Promise<readonly string[]> {
  const isRust = (await lstatOrNull(join(root, "Cargo.toml"))) !== null;
  const found: string[] = [];
  for (const path of buildCachesOf(framework, isRust))
    if ((await lstatOrNull(join(root, path))) === null) found.push(join(relative(release, root), path));
  return found;
}

/** Copies what the last build of the branch has kept into the release: that of the project's branch for a new branch. */
export async function restoreBuildCaches(
  scope: RunScope,
  release: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (folders.length === 0) return;
  const { order, folder, log } = scope;
  const entries = await readCacheIndex(folder);
  // Another framework or root directory has other folders.
  const entry = findBranchEntry(order, entries, "build", folders);
  if (entry === null) return;
  const copied = await restoreEntry(scope, { name: "restoreBuild", stage: "build", entry, release, signal });
  if (copied.kind === "failed")
    return log.system("build", `the build cache cannot be restored: ${copied.reason}`);
  log.system("build", `restored ${namesOf(entry)} of release ${entry.version} (${copied.what})`);
}

/** Keeps what the build has left for the next one. */
export async function storeBuildCaches(
  scope: RunScope,
  release: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const paths: string[] = [];
  for (const path of folders) {
    const found = await lstat(join(release, path)).catch(() => null);
    if (found?.isDirectory() === true) paths.push(path);
  }
  if (paths.length === 0 || (await cacheLimit(scope.context)) === 0) return;
  await storeEntry(scope, {
    ...{ name: "storeBuild", stage: "build", kind: "build", what: "the build cache" },
    ...{ key: branchKey(scope.order.source.branch, folders), paths, release, signal },
  });
}

function namesOf({ paths }: CacheEntry): string {
  return paths.map((path) => `\`${path}\``).join(", ");
}
