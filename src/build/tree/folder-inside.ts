import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";

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
