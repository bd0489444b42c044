import { lstat, mkdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";

import { hasCode } from "#node/has-code.ts";

export type InsideCheck =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "missing" }
  | { readonly kind: "not_a_folder" }
  | { readonly kind: "outside" };

/**
 * Finds a folder of a release. A repository may contain symbolic links, so the real path is checked.
 * @param relative parsed by `InsidePath`, so it contains no `..`
 */
export async function folderInside(release: string, relative: string): Promise<InsideCheck> {
  const base = await realpath(release).catch(() => "");
  const path = await realpath(join(base, relative)).catch(() => "");
  if (base === "" || path === "") return { kind: "missing" };
  if (path !== base && !path.startsWith(base + sep)) return { kind: "outside" };
  return (await stat(path)).isDirectory() ? { kind: "inside", path } : { kind: "not_a_folder" };
}

/**
 * Creates the parent folders of a path, unless one of them is a link or a file.
 * @returns the first part of the path that is not a folder; `null` when all are folders now
 */
export async function makeParents(base: string, relative: string): Promise<string | null> {
  const parts = relative.split("/").slice(0, -1);
  let path = base;
  for (const [index, part] of parts.entries()) {
    path = join(path, part);
    const found = await lstatOrNull(path);
    if (found === null) await mkdir(path);
    else if (!found.isDirectory()) return parts.slice(0, index + 1).join("/");
  }
  return null;
}

/** The file's status, without following a link; `null` when it does not exist. */
export async function lstatOrNull(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
