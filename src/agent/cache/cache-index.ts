import * as z from "zod/mini";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { wholeFrom } from "#contract/bounds.ts";
import { SharedPath } from "#contract/git-names.ts";
import { storedAs } from "#contract/stored.ts";

/**
 * A copy of files of a release, in a folder of the cache. `dependencies`: the files that an installation created; `key` is
 * the key of the installation. `build`: the files that a build keeps for the next one; `key` is the branch. `paths`: where
 * the files were, relative to the release. `used_by`: the version of the last deployment that stored or restored the copy.
 */
const CacheEntry = z.object({
  name: z.string().check(z.regex(/^(?:dependencies|build)-[1-9]\d{0,14}$/)),
  kind: z.enum(["dependencies", "build"]),
  key: z.string(),
  version: wholeFrom(1),
  paths: z.array(SharedPath),
  bytes: wholeFrom(0),
  used_by: wholeFrom(1),
});
export type CacheEntry = z.infer<typeof CacheEntry>;

const CacheIndex = z.object({ entries: z.array(CacheEntry) });
const storedIndex = storedAs(CacheIndex);

/**
 * The entries of a project's cache. Only the agent writes the list, and an entry is added after its files are complete,
 * so that nothing else in the folder is ever used.
 */
export async function readCacheIndex(folder: ProjectFolder): Promise<readonly CacheEntry[]> {
  const index = await readJsonFile(folder.cacheIndex, storedIndex);
  return index?.entries ?? [];
}

/** @throws when the disk is full; the entries are unchanged then */
export async function writeCacheIndex(folder: ProjectFolder, entries: readonly CacheEntry[]): Promise<void> {
  await writeAtomic(folder.cacheIndex, `${JSON.stringify({ entries }, null, 2)}\n`, { flush: true });
}

export function findEntry(
  entries: readonly CacheEntry[],
  kind: CacheEntry["kind"],
  key: string,
): CacheEntry | null {
  return entries.find((entry) => entry.kind === kind && entry.key === key) ?? null;
}

/** The entries with a new or used entry, which replaces an entry of the same kind and key. */
export function withEntry(entries: readonly CacheEntry[], entry: CacheEntry): readonly CacheEntry[] {
  return [...entries.filter(({ kind, key }) => kind !== entry.kind || key !== entry.key), entry];
}

/** The entries that fit into the limit: the last used ones first. */
export function entriesWithin(entries: readonly CacheEntry[], maxBytes: number): readonly CacheEntry[] {
  let bytes = 0;
  const newestFirst = entries.toSorted((a, b) => b.used_by - a.used_by);
  const kept = newestFirst.filter((entry) => {
    bytes += entry.bytes;
    return bytes <= maxBytes;
  });
  return entries.filter((entry) => kept.includes(entry));
}

export function sizeOf(entries: readonly CacheEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}
