import { readCacheIndex, sizeOf } from "#agent/cache/cache-index.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";

/** How many bytes the caches of all projects have. */
export async function cachesSize(home: string): Promise<number> {
  let bytes = 0;
  for (const { folder } of await listProjects(home)) bytes += sizeOf(await readCacheIndex(folder));
  return bytes;
}
