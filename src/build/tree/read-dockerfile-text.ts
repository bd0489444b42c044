import { basename, dirname, join } from "node:path";

import { type FileLimit, followInside, readDataFile } from "#build/tree/read-data-file.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import { MAX_DOCKERFILE_BYTES } from "#project-files/dockerfile/read-dockerfile.ts";
import type { TreeFile } from "#project-files/frameworks/tree.ts";
import { unusable } from "#project-files/processes/file-problem.ts";

const LIMIT: FileLimit = {
  bytes: MAX_DOCKERFILE_BYTES,
  text: "256 KiB",
  hint: "Check that it is the right file.",
};

/**
 * Reads the Dockerfile of a project. A symbolic link counts if it leads to a file in the release.
 * @param root the real path of the project's root directory in the release; `release` is a real path too
 * @param path relative to `root`
 * @returns null if it does not exist
 */
export async function readDockerfileText(
  release: string,
  root: string,
  path: string,
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
  const read = await readDataFile(dirname(target), basename(target), path, LIMIT);
  if (!read.ok) return { path, read };
  return read.value === null ? null : { path, read: { ok: true, value: read.value } };
}
