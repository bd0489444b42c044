import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { pause } from "#contract/lib/pause.ts";
import { holdFolder } from "#agent/workspace/held-folder.ts";
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
 * @returns the new path, for `removeTree`; `emptyBin` finds paths that were not deleted. `null` when it did not
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
    if (ASIDE.test(name)) await removeTree(join(root, name));
}

const TRIES = 4;
const BETWEEN_TRIES_MS = 50;
/** Each level of a tree keeps a file open. Folders that are deeper are moved up first. */
const DEEPEST = 100;
/** A process may make new folders all the time. */
const MOST_ROUNDS = 1_000;

/**
 * Deletes a file or folder, including folders that are not writable, as in some package caches, and trees that are
 * nested deeper than a path may be long. A link is never followed, even if a process of the project replaces a folder
 * with it in the meantime. Deletes files in sequence, because other file access of the agent would wait for many
 * deletions at once (0.9 s at 20,000 files). A file that cannot be deleted does not prevent the deletion of the rest.
 * @throws the file system's error, after a few tries
 */
export async function removeTree(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const problem = await remove(path, { tree: null, depth: 0, isForced: tries > 1 }).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (problem === null) return;
    if (tries === TRIES) throw problem.error;
    if (tries > 1) await pause(BETWEEN_TRIES_MS);
  }
}

/** `tree`: the folder that is deleted with all below it; `null`: this is it. `isForced`: makes folders writable first. */
type Place = {
  readonly tree: { readonly held: string; moved: number } | null;
  readonly depth: number;
  readonly isForced: boolean;
};

/** @throws the first error, after deleting what can be deleted */
async function remove(path: string, place: Place): Promise<void> {
  try {
    return await unlink(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    // The codes for a folder: of Linux, and of POSIX.
    const isFolder =
      hasCode(error, "EISDIR") || (hasCode(error, "EPERM") && (await lstat(path)).isDirectory());
    if (!isFolder) throw error;
  }
  await removeFolder(path, place);
}

async function removeFolder(path: string, { tree, depth, isForced }: Place): Promise<void> {
  if (isForced) await holdFolder(path, "place", (held) => chmod(held, 0o700)).catch(() => undefined);
  const problems: unknown[] = [];
  const note = (error: unknown): void => {
    if (!hasCode(error, "ENOENT")) problems.push(error);
  };
  await holdFolder(path, "read", async (held) => {
    const whole = tree ?? { held, moved: 0 };
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const before = whole.moved;
      for (const entry of await readdir(held, { withFileTypes: true })) {
        const inside = join(held, entry.name);
        if (!entry.isDirectory()) await unlink(inside).catch(note);
        else if (depth >= DEEPEST && (await isRenamed(inside, join(whole.held, randomUUID()))))
          whole.moved += 1;
        else await removeFolder(inside, { tree: whole, depth: depth + 1, isForced }).catch(note);
      }
      // Folders that were moved up are in the tree's folder under new names, so it is read again.
      if (tree !== null || whole.moved === before) break;
    }
  }).catch(note);
  await rmdir(path).catch(note);
  if (problems.length > 0) throw problems[0];
}

function isRenamed(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    () => false,
  );
}
