import { link, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { hasCode } from "#node/has-code.ts";

let drafts = 0;
/** A name beside the lock that nobody else uses. */
const nameBeside = (path: string) => `${path}.${process.pid}-${(drafts += 1)}`;

/**
 * Makes a lock file, whole at once: who found half of one would take it for one that was left.
 * @returns false when there is one already
 */
export async function createLockFile(path: string, content: string): Promise<boolean> {
  const draft = nameBeside(path);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    // Without its draft: one that has the lock by now has cleared it away.
    if (!(await succeeds(link(draft, path), "EEXIST", "ENOENT"))) return false;
  } finally {
    await rm(draft, { force: true });
  }
  await removeDrafts(path);
  return true;
}

/**
 * Removes a lock file that was left, unless another process has put its own in the place meanwhile.
 * @param isHeld looks at a file whether the process that it names still has the lock
 */
export async function removeLeftLock(
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

/** What was left by processes that were killed while they took the lock. */
async function removeDrafts(path: string): Promise<void> {
  const start = `${basename(path)}.`;
  for (const name of await readdir(dirname(path)))
    if (name.startsWith(start) && /^\d+-\d+$/.test(name.slice(start.length)))
      await rm(join(dirname(path), name), { force: true });
}
