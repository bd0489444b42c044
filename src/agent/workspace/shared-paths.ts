import { mkdir, readlink, rename, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";

import { removeTree } from "#agent/workspace/discard.ts";
import { inParents } from "#agent/workspace/in-parents.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";

/**
 * How a shared path was linked. `kept`: the shared files existed already. `copy`: the release's own files were moved
 * there. `empty`: an empty folder was created. `awaited`: nothing exists yet, and the link works once something does.
 */
export type SharedBeginning = "kept" | "copy" | "empty" | "awaited";

export type SharedLink =
  | { readonly kind: "linked"; readonly beginning: SharedBeginning }
  /** The correct link exists already. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Replaces the release's own `<path>` with a link to `shared/<path>`. If that does not exist yet, the release's own
 * files are moved there. Never writes through a link that the repository or the build has made.
 */
export async function linkSharedPath(release: string, shared: string, path: string): Promise<SharedLink> {
  await mkdir(shared, { recursive: true });
  const text = relative(dirname(join(release, path)), join(shared, path));
  const linked = await inParents(release, path, (own) =>
    inParents(shared, path, (kept) => link(own, kept, path, text)),
  );
  if (linked.kind === "in_the_way")
    return { kind: "refused", reason: `\`${linked.part}\` in the release is not a folder` };
  const { value } = linked;
  return value.kind === "in_the_way"
    ? { kind: "refused", reason: `\`shared/${value.part}\` is not a folder` }
    : value.value;
}

async function link(own: string, kept: string, path: string, text: string): Promise<SharedLink> {
  const isLinked = (await readlink(own).catch(() => null)) === text;
  if (isLinked && (await lstatOrNull(kept)) !== null) return { kind: "unchanged" };
  const beginning = await begin(own, kept, basename(path));
  if (beginning === "refused")
    return { kind: "refused", reason: `\`${path}\` in the release is a symbolic link` };
  await removeTree(own);
  await symlink(text, own);
  return { kind: "linked", beginning };
}

/** Moves the files back that `linkSharedPath` moved out of a release, when the release is refused. */
export async function moveCopiesBack(
  release: string,
  shared: string,
  copies: readonly string[],
): Promise<void> {
  for (const path of copies.toReversed())
    await inParents(release, path, async (own) => {
      await removeTree(own);
      // If a process of the project has put a link in the way, its files stay where they are.
      await inParents(shared, path, (kept) => rename(kept, own));
    });
}

async function begin(own: string, kept: string, name: string): Promise<SharedBeginning | "refused"> {
  const found = await lstatOrNull(own);
  if ((await lstatOrNull(kept)) !== null) return "kept";
  if (found === null) {
    if (isFileName(name)) return "awaited";
    await mkdir(kept);
    return "empty";
  }
  if (!found.isDirectory() && !found.isFile()) return "refused";
  await rename(own, kept);
  return "copy";
}

/** Guesses from its name whether a path that does not exist yet is a file: `.env`, `app.ini`. */
function isFileName(name: string): boolean {
  return name.includes(".");
}
