import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { inLongPath } from "#build/tree/long-path.ts";

/**
 * A symbolic link in a tree. `path` is relative to the tree; `at` is a path at which the link can be read during the
 * visit.
 */
export type TreeLink = { readonly path: string; readonly at: string };

/** `shown`: the path relative to the tree. `path`: the path to open. `depth`: how many folders it is below the tree. */
type Folder = { readonly shown: string; readonly path: string; readonly depth: number };

/** Each level keeps a file open, and its path gets longer, so that a build could keep the agent busy for hours. */
export const DEEPEST = 2_000;

/** How many folders are read at once. More are not faster, and would delay other reads of the agent. */
const AT_ONCE = 8;

/**
 * Visits every symbolic link in a tree, in no order, without following links. Unreadable folders are skipped: only a
 * command of the project can create one, and such a command needs no link to read a file.
 * @param signal ends the visit
 * @returns whether all folders were visited: folders that are nested more deeply than `DEEPEST` are not
 */
export async function visitLinks(
  tree: string,
  signal: AbortSignal,
  visit: (link: TreeLink) => Promise<void>,
): Promise<boolean> {
  const skipped: string[] = [];
  await walk({ shown: "", path: tree, depth: 0 }, signal, skipped, visit);
  return skipped.length === 0;
}

/** @param visit must not throw a file system error, because the rest of its folder would be skipped */
async function walk(
  start: Folder,
  signal: AbortSignal,
  skipped: string[],
  visit: (link: TreeLink) => Promise<void>,
): Promise<void> {
  const folders = [start];
  const look = (folder: Folder): Promise<void> =>
    inLongPath(folder.path, async (path) => {
      const isReopened = path !== folder.path;
      const inner: Folder[] = [];
      for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
        const [shown, at] = [join(folder.shown, entry.name), join(path, entry.name)];
        if (entry.isDirectory() && folder.depth >= DEEPEST) skipped.push(shown);
        else if (entry.isDirectory()) inner.push({ shown, path: at, depth: folder.depth + 1 });
        else if (entry.isSymbolicLink()) await visit({ path: shown, at });
      }
      if (!isReopened) return void folders.push(...inner);
      // The paths of inner folders are valid only while this folder is open.
      for (const each of inner) await walk(each, signal, skipped, visit);
    }).catch((error: unknown) => {
      if (!hasCode(error, "EACCES", "ENOENT", "ENOTDIR", "ELOOP")) throw error;
    });
  while (folders.length > 0 && !signal.aborted) await Promise.all(folders.splice(-AT_ONCE).map(look));
}
