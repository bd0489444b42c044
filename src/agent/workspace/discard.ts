import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { pause } from "#contract/lib/pause.ts";
import { inLongPath } from "#agent/workspace/long-path.ts";
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

const ASIDE = /^.+\.bin$/;

/**
 * Moves a file or folder of the project aside, which takes no time however much is in it.
 * @returns where it is now, for `removeGently`; `emptyBin` finds what was not removed. `null` when there was none
 */
export async function putAside(folder: ProjectFolder, path: string): Promise<string | null> {
  // Beside the others, not in a folder: making one could be too much for a full disk.
  const aside = join(folder.root, `${basename(path)}-${randomUUID()}.bin`);
  try {
    await rename(path, aside);
    return aside;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Removes what was put aside and is still there. */
export async function emptyBin({ root }: ProjectFolder): Promise<void> {
  for (const name of await readdir(root).catch(() => []))
    if (ASIDE.test(name)) await removeGently(join(root, name));
}

/**
 * As `removeTree`, for what may be large and nobody waits for: one file after the other. `rm` asks for all of them at
 * once, and whatever else the agent reads or writes then waits behind them (0.9 s at 20,000 files).
 */
export async function removeGently(path: string): Promise<void> {
  await removeOneByOne(path);
  await removeTree(path);
}

/** What cannot be removed is left. */
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
 * Removes a file or folder, also one with folders in it that nobody may write to, as some package caches are, or nested
 * deeper than a path may be long.
 * @throws what keeps it from being removed, after a moment
 */
export async function removeTree(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Not with its own `maxRetries`, which tries again in every folder on the way: a minute and more for five levels.
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
