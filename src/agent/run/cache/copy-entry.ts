import { join } from "node:path";

import { type CacheEntry, readCacheIndex, withEntry, writeCacheIndex } from "#agent/cache/cache-index.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { replaceExpression, restoreScript, storeScript } from "#agent/run/cache/copy-scripts.ts";
import { cacheLimit } from "#agent/run/cache/cache-limit.ts";
import { type CacheScript, runCacheScript } from "#agent/run/cache/run-cache-script.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { SharedPath } from "#contract/git-names.ts";
import { messageOf } from "#contract/lib/message-of.ts";

type Copying = Pick<CacheScript, "name" | "stage" | "signal"> & {
  /** The real path of the new release. */
  readonly release: string;
};

export type Restored =
  /** `what`: its size and time, for the log. */
  { readonly kind: "restored"; readonly what: string } | { readonly kind: "failed"; readonly reason: string };

/** Copies an entry of the cache into the new release. A copy that fails leaves nothing in the release. */
export async function restoreEntry(
  scope: RunScope,
  { entry, release, ...script }: Copying & { readonly entry: CacheEntry },
): Promise<Restored> {
  const mode = entry.kind === "dependencies" ? "new" : "replace";
  const edit = replaceExpression(`${join(release, "..", String(entry.version))}/`, `${release}/`);
  const args = [join(scope.folder.cache, entry.name), release, mode, edit, ...entry.paths];
  const end = await runCacheScript(scope, { ...script, script: restoreScript, args });
  if (end.kind === "failed") return end;
  return { kind: "restored", what: `${sizeText(entry.bytes)} in ${end.seconds} s` };
}

/** More are a sign of something else than dependencies, and would make a command too long. */
const MOST_PATHS = 1_000;

type Storing = Copying & {
  readonly kind: CacheEntry["kind"];
  readonly key: string;
  /** What is stored, for the log. */
  readonly what: string;
  /** Relative to the release. */
  readonly paths: readonly string[];
};

/** Copies files of the new release into the cache. A failure is only logged: the deployment does not need the copy. */
export async function storeEntry(scope: RunScope, storing: Storing): Promise<void> {
  const { stage, what } = storing;
  try {
    const refused = await store(scope, storing);
    if (refused !== null && !storing.signal.aborted)
      scope.log.system(stage, `${what} cannot be kept for later deployments: ${refused}`);
  } catch (error) {
    scope.log.system(stage, `${what} cannot be kept for later deployments: ${messageOf(error)}`);
  }
}

/** @returns why nothing was stored; null if it was */
async function store(
  scope: RunScope,
  { kind, key, what, paths, release, ...script }: Storing,
): Promise<string | null> {
  const { folder, order, context, log } = scope;
  const maxBytes = await cacheLimit(context);
  if (maxBytes === 0) return "the disk is nearly full";
  if (paths.length > MOST_PATHS) return `they are more than ${MOST_PATHS} files and folders`;
  const odd = paths.find((path) => !SharedPath.safeParse(path).success);
  if (odd !== undefined) return `the name \`${odd}\` is not allowed`;
  const name = `${kind}-${order.version}`;
  const args = [folder.cache, name, release, String(maxBytes / 1024), `${release}/`, ...paths];
  const end = await runCacheScript(scope, { ...script, script: storeScript, args });
  if (end.kind === "failed") return end.reason;
  const [verdict, size] = end.words;
  const bytes = Number(size) * 1024;
  if (verdict !== "stored") return `they need ${sizeText(bytes)}, and the limit is ${sizeText(maxBytes)}`;
  const entry: CacheEntry = {
    ...{ name, kind, key, version: order.version, paths: [...paths], bytes },
    used_by: order.version,
  };
  await writeCacheIndex(folder, withEntry(await readCacheIndex(folder), entry));
  log.system(script.stage, `kept ${what} for later deployments (${sizeText(bytes)} in ${end.seconds} s)`);
  return null;
}
