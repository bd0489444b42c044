import { rm } from "node:fs/promises";

import { entriesWithin, readCacheIndex, sizeOf, writeCacheIndex } from "#agent/cache/cache-index.ts";
import { tidyCacheFolder } from "#agent/cache/cache-folder.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { cacheLimit } from "#agent/run/cache/cache-limit.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** Removes the entries that were not used for the longest time until the cache has its size, and deletes what is unused. */
export async function tidyCache({ context, folder, order }: RunScope): Promise<void> {
  try {
    const entries = await readCacheIndex(folder);
    const kept = entriesWithin(entries, await cacheLimit(context));
    if (kept.length < entries.length) await writeCacheIndex(folder, kept);
    await tidyCacheFolder(context.isolation, folder, new Set(kept.map(({ name }) => name)));
  } catch (error) {
    context.log(`${order.project_name}: its cache cannot be cleaned up: ${messageOf(error)}`);
  }
}

/** Empties the cache. Needs no space on the disk, because a full one may be the reason. Safe to repeat. */
export async function clearCache({ context, folder, log }: RunScope): Promise<void> {
  const size = sizeOf(await readCacheIndex(folder));
  await rm(folder.cacheIndex, { force: true, recursive: true });
  await tidyCacheFolder(context.isolation, folder, new Set()).catch((error: unknown) =>
    // Nothing uses the files without the list, and they are deleted after the run.
    log.system("fetch", `files of the cache cannot be deleted yet: ${messageOf(error)}`),
  );
  log.system("fetch", size === 0 ? "the cache is empty already" : `cleared the cache (${sizeText(size)})`);
}
