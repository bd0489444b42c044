import { mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** The link's text for a release; relative, so that the home folder can be moved. */
export function linkTarget(version: number): string {
  return `releases/${version}`;
}

/** @returns the version that `current` points to; `null` when there is no such link or it points elsewhere */
export async function readCurrent(folder: ProjectFolder): Promise<number | null> {
  try {
    const digits = /^releases\/([1-9]\d{0,14})$/.exec(await readlink(folder.current))?.[1];
    return digits === undefined ? null : Number(digits);
  } catch {
    return null;
  }
}

/** Points `current` to a release, or to nothing. Whoever opens the link meanwhile finds the old or the new, never none. */
export async function switchCurrent(folder: ProjectFolder, version: number | null): Promise<void> {
  if (version === null) return rm(folder.current, { force: true });
  await mkdir(folder.temp, { recursive: true });
  const draft = join(folder.temp, "current");
  await removeTree(draft);
  await symlink(linkTarget(version), draft);
  await rename(draft, folder.current);
}

/** Makes the way back ready before a switch, so that going it takes no room on a disk that is full by then. */
export async function prepareWayBack(folder: ProjectFolder, previous: number | null): Promise<void> {
  const link = wayBack(folder);
  await mkdir(folder.temp, { recursive: true });
  await removeTree(link);
  if (previous !== null) await symlink(linkTarget(previous), link);
}

/** Goes the way that was made ready, or makes it now. */
export async function goBack(folder: ProjectFolder, previous: number | null): Promise<void> {
  if (previous === null) return switchCurrent(folder, null);
  try {
    await rename(wayBack(folder), folder.current);
  } catch {
    await switchCurrent(folder, previous);
  }
}

function wayBack(folder: ProjectFolder): string {
  return join(folder.temp, "way-back");
}
