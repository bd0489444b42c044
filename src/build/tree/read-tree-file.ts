import { basename, dirname, join } from "node:path";

import { type FileLimit, followInside, readDataFile } from "#build/tree/read-data-file.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import type { TreeFile } from "#project-files/frameworks/tree.ts";
import { unusable } from "#project-files/processes/file-problem.ts";

/**
 * Reads a file of a project whose text may matter. A symbolic link counts if it leads to a file in the release.
 * @param root the real path of the project's root directory in the release; `release` is a real path too
 * @param path relative to `root`
 * @returns null if it does not exist
 */
export async function readTreeFile(
  release: string,
  root: string,
  path: string,
  limit: FileLimit,
): Promise<TreeFile | null> {
  const place = join(root, path);
  if ((await lstatOrNull(place)) === null) return null;
  const target = await followInside(release, place);
  if (target === null)
    return {
      path,
      read: unusable(
        `${path} is a symbolic link that leads to no file of the repository`,
        `Put the file ${basename(path)} itself there.`,
      ),
    };
  const read = await readDataFile(dirname(target), basename(target), path, limit);
  if (!read.ok) return { path, read };
  return read.value === null ? null : { path, read: { ok: true, value: read.value } };
}
