import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Copies a built Worker, with the files beside it, into the home that runs it: the dashboard is read from there for each
 * request, and other builds of the clone, or the deletion of build/, must not take it away.
 * @param bundle the file that buildWorker built
 * @returns the same file in the copy
 */
export async function keepBundle(home: string, bundle: string): Promise<string> {
  const bundles = join(home, "bundles");
  const built = dirname(bundle);
  const name = basename(built);
  const folder = join(bundles, name);
  await mkdir(bundles, { recursive: true });
  // Copies of earlier starts, and an unfinished copy. Only one start uses a home.
  for (const other of await readdir(bundles))
    if (other !== name) await rm(join(bundles, other), { recursive: true, force: true });
  if (!existsSync(folder)) {
    const draft = `${folder}.tmp`;
    await cp(built, draft, { recursive: true });
    await rename(draft, folder);
  }
  return join(folder, basename(bundle));
}
