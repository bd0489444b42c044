import { link, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { hasCode } from "#node/has-code.ts";

let drafts = 0;
/** Unique names next to the lock file: of a draft, and of a lock that was moved aside to be read. */
const draftOf = (path: string) => `${path}.${process.pid}-${(drafts += 1)}`;
const movedOf = (path: string) => `${path}.moved-${process.pid}-${(drafts += 1)}`;

/** Whether the process named in this lock file still holds the lock. */
type IsHeld = (path: string) => Promise<boolean>;

/** How long a held lock that was moved aside waits for its place, which another start has taken for a moment. */
const RETURN_TRIES = 200;
const RETURN_PAUSE_MS = 10;

/**
 * Creates a lock file atomically with its content: a process that reads half a lock would mistake it for a stale lock.
 * @returns false when the lock exists already, or another process has moved it aside to read it
 */
export async function createLockFile(path: string, content: string, isHeld: IsHeld): Promise<boolean> {
  const draft = draftOf(path);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    // ENOENT: the process that holds the lock has removed the draft.
    if (!(await succeeds(link(draft, path), "EEXIST", "ENOENT"))) return false;
  } finally {
    await rm(draft, { force: true });
  }
  const moved = await findMoved(path, content, isHeld);
  if (moved === null) return true;
  await rm(path, { force: true });
  await moveBack(moved, path);
  return false;
}

/**
 * Removes a stale lock file. If another process has created its own lock file in the meantime, that file is moved back.
 */
export async function removeStaleLock(path: string, isHeld: IsHeld): Promise<void> {
  const moved = movedOf(path);
  if (!(await succeeds(rename(path, moved), "ENOENT"))) return;
  if (await isHeld(moved)) await moveBack(moved, path);
  else await rm(moved, { force: true });
}

/** Moves a held lock back. A process that starts now may take the place; it sees the moved lock, and moves it back too. */
async function moveBack(moved: string, path: string): Promise<void> {
  for (let tries = 0; tries < RETURN_TRIES; tries += 1) {
    try {
      await link(moved, path);
      break;
    } catch (error) {
      // Another process has moved it back.
      if (hasCode(error, "ENOENT")) return;
      if (!hasCode(error, "EEXIST")) throw error;
    }
    await pause(RETURN_PAUSE_MS);
  }
  await rm(moved, { force: true });
}

/** @returns false after one of these errors. @throws any other */
async function succeeds(step: Promise<void>, ...codes: readonly string[]): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (hasCode(error, ...codes)) return false;
    throw error;
  }
}

/**
 * The lock of another process that holds it and whose lock was moved aside; `null` if there is none. Removes what killed
 * processes have left beside the new lock, but not that lock itself, which another start may have moved aside by now.
 */
async function findMoved(path: string, content: string, isHeld: IsHeld): Promise<string | null> {
  const start = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(start) || !/^(?:moved-)?\d+-\d+$/.test(name.slice(start.length))) continue;
    const left = join(dirname(path), name);
    const isMoved = name.startsWith(`${start}moved-`);
    if (isMoved && (await readFile(left, "utf8").catch(() => null)) === content) continue;
    if (isMoved && (await isHeld(left))) return left;
    await rm(left, { force: true });
  }
  return null;
}
