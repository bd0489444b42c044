import { entriesWithin, readCacheIndex, sizeOf, writeCacheIndex } from "#agent/cache/cache-index.ts";
import { tidyCacheFolder } from "#agent/cache/cache-folder.ts";
import { cacheLimit } from "#agent/run/cache/cache-limit.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** Removes the entries that were not used for the longest time until the cache has its size, and deletes what is unused. */
export async function tidyCache({ context, folder, order }: RunScope): Promise<void> {
  try {
    const entries = await readCacheIndex(folder);
    const kept = entriesWithin(entries, await cacheLimit(context));
    if (kept.length < entries.length) await writeCacheIndex(folder, kept);
    await tidyCacheFolder(context.isolation, folder, new Set(kept.map(({ name }) => name)));
  } catch (error) {
    context.log(`${order.project_name}: its cache cannot be tidied: ${messageOf(error)}`);
  }
}

/** Empties the cache. The files are deleted after the run. Safe to repeat. */
export async function clearCache({ folder, log }: RunScope): Promise<void> {
  const entries = await readCacheIndex(folder);
  await writeCacheIndex(folder, []);
  const megabytes = Math.round(sizeOf(entries) / 1e6);
  log.system(
    "fetch",
    entries.length === 0 ? "the cache is empty already" : `cleared the cache (${megabytes} MB)`,
  );
}
