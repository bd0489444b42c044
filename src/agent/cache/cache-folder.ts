import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";

import type { Isolation } from "#agent/isolation/isolation.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** The ending of a folder in the cache that is unfinished, or is about to be deleted. */
const UNFINISHED = ".part";

/**
 * Deletes the folders of the cache that are no entries. A deletion that fails is repeated after the project's next run.
 * @throws the file system's error
 */
export async function tidyCacheFolder(
  isolation: Isolation,
  { id, cache }: ProjectFolder,
  names: ReadonlySet<string>,
): Promise<void> {
  const found = await readdir(cache).catch(() => []);
  const unused = found.filter((name) => !names.has(name));
  if (unused.length === 0) return;
  // The helper deletes by this name: with isolation, the files belong to the project's user.
  for (const name of unused)
    if (!name.endsWith(UNFINISHED)) await rename(join(cache, name), join(cache, `${name}${UNFINISHED}`));
  if (isolation.kind === "projects") {
    const discarded = await isolation.discard(id);
    if (discarded.kind === "failed") throw new Error(discarded.reason);
    return;
  }
  for (const name of unused)
    await removeTree(join(cache, name.endsWith(UNFINISHED) ? name : `${name}${UNFINISHED}`));
}
