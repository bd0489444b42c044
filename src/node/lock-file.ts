import { link, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { hasCode } from "#node/has-code.ts";

let drafts = 0;
/** A unique name next to the lock file. */
const nameBeside = (path: string) => `${path}.${process.pid}-${(drafts += 1)}`;

/**
 * Creates a lock file atomically with its content: a process that read half a lock would take it for a stale one.
 * @returns false when the lock file exists already
 */
export async function createLockFile(path: string, content: string): Promise<boolean> {
  const draft = nameBeside(path);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    // ENOENT: the process that holds the lock has removed the draft.
    if (!(await succeeds(link(draft, path), "EEXIST", "ENOENT"))) return false;
  } finally {
    await rm(draft, { force: true });
  }
  await removeDrafts(path, content);
  return true;
}

/**
 * Removes a stale lock file, unless another process has created its own in the meantime.
 * @param isHeld whether the process named in this lock file still holds the lock
 */
export async function removeStaleLock(
  path: string,
  isHeld: (path: string) => Promise<boolean>,
): Promise<void> {
  const taken = nameBeside(path);
  if (!(await succeeds(rename(path, taken), "ENOENT"))) return;
  if (await isHeld(taken)) await link(taken, path).catch(() => undefined);
  await rm(taken, { force: true });
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
 * Removes the drafts of processes that were killed while they took the lock. Leaves a file with the content of the new
 * lock: another process has moved that lock aside, and moves it back when it has read it (`removeStaleLock`).
 */
async function removeDrafts(path: string, content: string): Promise<void> {
  const start = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(start) || !/^\d+-\d+$/.test(name.slice(start.length))) continue;
    const draft = join(dirname(path), name);
    const found = await readFile(draft, "utf8").catch(() => null);
    if (found !== content) await rm(draft, { force: true });
  }
}
