import { mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** The link's text for a release. It is relative, so that the home folder can be moved. */
export function linkTarget(version: number): string {
  return `releases/${version}`;
}

/** @returns the version that `current` points to; `null` when there is no such link or it points elsewhere */
export async function readCurrent(folder: ProjectFolder): Promise<number | null> {
  const text = await readlink(folder.current).catch(() => "");
  const digits = /^releases\/([1-9]\d{0,14})$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Switches `current` to a release atomically, or removes it: readers find the old or the new release, never none. */
export async function switchCurrent(folder: ProjectFolder, version: number | null): Promise<void> {
  if (version === null) return rm(folder.current, { force: true });
  await mkdir(folder.temp, { recursive: true });
  const draft = join(folder.temp, "current");
  await removeTree(draft);
  await symlink(linkTarget(version), draft);
  await rename(draft, folder.current);
}

/**
 * Creates the link to switch back with before a switch, so that switching back needs no space on a disk that is full
 * by then.
 */
export async function prepareSwitchBack(folder: ProjectFolder, previous: number | null): Promise<void> {
  const link = switchBackLink(folder);
  await mkdir(folder.temp, { recursive: true });
  await removeTree(link);
  if (previous !== null) await symlink(linkTarget(previous), link);
}

/** Switches back with the prepared link, or with a new one. */
export async function switchCurrentBack(folder: ProjectFolder, previous: number | null): Promise<void> {
  if (previous === null) return switchCurrent(folder, null);
  try {
    await rename(switchBackLink(folder), folder.current);
  } catch {
    await switchCurrent(folder, previous);
  }
}

function switchBackLink(folder: ProjectFolder): string {
  return join(folder.temp, "way-back");
}
