import { join } from "node:path";

import { lstatOrNull } from "#node/lstat-or-null.ts";

/**
 * Watches for the end of a supervisor's home: somebody has deleted or moved the folder. The supervisor would continue
 * to start its instances again, and a home that is made later at the same path would get a second one.
 * The folder and the lock must both have gone, at two checks in a row: the apps of a server must not end for less.
 * @param onGone called at most once
 */
export async function watchHome(home: string, checkMs: number, onGone: () => void): Promise<void> {
  const paths = [home, join(home, "supervisor.lock")];
  const before = await Promise.all(paths.map(identityOf));
  let gone = 0;
  async function check(): Promise<void> {
    const now = await Promise.all(paths.map(identityOf));
    gone = now.every((identity, at) => identity !== before[at]) ? gone + 1 : 0;
    if (gone < 2) return;
    clearInterval(timer);
    onGone();
  }
  const timer = setInterval(() => {
    // A folder that cannot be read at the moment is not gone.
    check().catch(() => (gone = 0));
  }, checkMs);
  timer.unref();
}

/** Distinguishes a file from a file that is later created at the same path; null: there is no file. */
async function identityOf(path: string): Promise<string | null> {
  const found = await lstatOrNull(path);
  return found === null ? null : `${found.dev} ${found.ino}`;
}
