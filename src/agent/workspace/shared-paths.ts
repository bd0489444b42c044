import { mkdir, readlink, rename, rmdir, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";

import { removeTree } from "#agent/workspace/discard.ts";
import { lstatOrNull, makeParents } from "#agent/workspace/inside-release.ts";

/**
 * How a shared path came to be linked. `kept`: it was there already. `copy`: it begins as the release's own. `empty`: it
 * begins as an empty folder. `awaited`: nothing is there yet, and the link works once there is.
 */
export type SharedBeginning = "kept" | "copy" | "empty" | "awaited";

export type SharedLink =
  | { readonly kind: "linked"; readonly beginning: SharedBeginning }
  /** The link was there and is as it should be. */
  | { readonly kind: "unchanged" }
  /** Nothing is shared at this path yet. */
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Before the build: puts a link to `shared/<path>` in the place of the release's own `<path>`, if anything is shared there.
 * What is not shared yet stays as the repository has it: a release whose build fails must not decide what is shared.
 */
export async function linkExistingPath(release: string, shared: string, path: string): Promise<SharedLink> {
  if ((await lstatOrNull(join(shared, path))) === null) return { kind: "missing" };
  return linkSharedPath(release, shared, path);
}

/**
 * Puts a link to `shared/<path>` in the place of the release's own `<path>`, which becomes what is shared if nothing is yet.
 * Nothing is ever written through a link that the repository or the build has made.
 */
export async function linkSharedPath(release: string, shared: string, path: string): Promise<SharedLink> {
  const inTheWay = await makeParents(release, path);
  if (inTheWay !== null)
    return { kind: "refused", reason: `\`${inTheWay}\` in the release is not a folder of its own` };
  await mkdir(shared, { recursive: true });
  const sharedInTheWay = await makeParents(shared, path);
  if (sharedInTheWay !== null)
    return { kind: "refused", reason: `\`shared/${sharedInTheWay}\` is not a folder` };

  const [own, kept] = [join(release, path), join(shared, path)];
  const text = relative(dirname(own), kept);
  const isLinked = (await readlink(own).catch(() => null)) === text;
  if (isLinked && (await lstatOrNull(kept)) !== null) return { kind: "unchanged" };
  const beginning = await begin(own, kept);
  if (beginning === "refused")
    return { kind: "refused", reason: `\`${path}\` in the release is a symbolic link` };
  await removeTree(own);
  await symlink(text, own);
  return { kind: "linked", beginning };
}

/** Undoes what `linkSharedPath` has made of the release's own files: a release that is refused decides nothing. */
export async function takeCopiesBack(
  release: string,
  shared: string,
  copies: readonly string[],
): Promise<void> {
  for (const path of copies.toReversed()) {
    await removeTree(join(release, path));
    await rename(join(shared, path), join(release, path));
  }
}

async function begin(own: string, kept: string): Promise<SharedBeginning | "refused"> {
  const found = await lstatOrNull(own);
  if ((await lstatOrNull(kept)) !== null) {
    // An earlier agent made a folder of every path that was not there; only an empty one can be removed.
    const isWrong = found?.isFile() === true && (await isRemoved(kept));
    if (!isWrong) return "kept";
  }
  if (found === null) {
    if (isFileName(basename(kept))) return "awaited";
    await mkdir(kept);
    return "empty";
  }
  if (!found.isDirectory() && !found.isFile()) return "refused";
  await rename(own, kept);
  return "copy";
}

function isRemoved(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

/** Nothing says what a path will be that neither the server nor the release has, but its name: `.env`, `app.ini`. */
function isFileName(name: string): boolean {
  return name.includes(".");
}
