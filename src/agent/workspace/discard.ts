import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { pause } from "#contract/lib/pause.ts";
import { inLongPath } from "#agent/workspace/long-path.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** Deletes a file or folder of the project. It is renamed first, so that it disappears atomically. */
export async function discard(folder: ProjectFolder, path: string): Promise<void> {
  const bin = join(folder.temp, `bin-${path.slice(folder.root.length + 1).replaceAll("/", "-")}`);
  await mkdir(folder.temp, { recursive: true });
  await removeTree(bin);
  try {
    await rename(path, bin);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  await removeTree(bin);
}

const ASIDE = /^.+\.bin$/;

/**
 * Renames a file or folder of the project for later deletion, which is fast however large it is.
 * @returns the new path, for `removeGently`; `emptyBin` finds paths that were not deleted. `null` when it did not
 * exist
 */
export async function putAside(folder: ProjectFolder, path: string): Promise<string | null> {
  // In the project's folder, because creating another folder may fail on a full disk.
  const aside = join(folder.root, `${basename(path)}-${randomUUID()}.bin`);
  try {
    await rename(path, aside);
    return aside;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Deletes everything that `putAside` renamed and that still exists. */
export async function emptyBin({ root }: ProjectFolder): Promise<void> {
  for (const name of await readdir(root).catch(() => []))
    if (ASIDE.test(name)) await removeGently(join(root, name));
}

/**
 * As `removeTree`, for large trees that nothing waits for: deletes one file after the other. `rm` deletes all files
 * at once, and other file access of the agent waits for them (0.9 s at 20,000 files).
 */
export async function removeGently(path: string): Promise<void> {
  await removeOneByOne(path);
  await removeTree(path);
}

/** Files that cannot be removed stay. */
async function removeOneByOne(path: string): Promise<void> {
  await inLongPath(path, async (folder) => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const inside = join(folder, entry.name);
      if (entry.isDirectory()) await removeOneByOne(inside);
      else await unlink(inside).catch(() => undefined);
    }
  }).catch(() => undefined);
  await rmdir(path).catch(() => undefined);
}

const TRIES = 4;
const BETWEEN_TRIES_MS = 50;

/**
 * Deletes a file or folder, including folders that are not writable, as in some package caches, and trees that are
 * nested deeper than a path may be long.
 * @throws the file system's error, after a few tries
 */
export async function removeTree(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Without `maxRetries`, which would retry in every folder on the way: more than a minute for five levels.
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (tries === TRIES) throw error;
      await makeWritable(path);
      if (hasCode(error, "ENAMETOOLONG")) await removeOneByOne(path);
    }
    if (tries > 1) await pause(BETWEEN_TRIES_MS);
  }
}

async function makeWritable(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isDirectory()) return;
  await chmod(path, 0o700);
  await inLongPath(path, async (folder) => {
    for (const name of await readdir(folder)) await makeWritable(join(folder, name));
  });
}
