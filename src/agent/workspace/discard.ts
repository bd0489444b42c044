import { chmod, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "#agent/has-code.ts";
import { pause } from "#agent/pause.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** Moves a file or folder of the project to the bin, and empties the bin of it. */
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

const TRIES = 4;
const BETWEEN_TRIES_MS = 50;

/**
 * Removes a file or folder, also one with folders in it that nobody may write to, as some package caches are.
 * @throws what keeps it from being removed, after a moment
 */
export async function removeTree(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Not with its own `maxRetries`, which tries again in every folder on the way: a minute and more for five levels.
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (tries === TRIES) throw error;
    }
    await makeWritable(path);
    if (tries > 1) await pause(BETWEEN_TRIES_MS);
  }
}

async function makeWritable(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await makeWritable(join(path, name));
}
