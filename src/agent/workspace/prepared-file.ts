import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { flushFolder, writeAtomic } from "#node/write-atomic.ts";

// A file that a run prepares beside the true one, and that becomes true with the run's verdict.

/** Where the next state of a file waits for the verdict. */
export function preparedPath(path: string): string {
  return path.replace(/\.json$/, ".next.json");
}

/** Stores what a run is about to make true. It survives a power cut. @throws when the disk is full */
export async function prepareFile(path: string, next: unknown): Promise<void> {
  await writeAtomic(preparedPath(path), `${JSON.stringify(next)}\n`, { mode: 0o600, flush: true });
}

/** Makes the prepared state true. Safe to repeat, and needs no space on the disk. */
export async function commitFile(path: string): Promise<void> {
  if (!existsSync(preparedPath(path))) return;
  await rename(preparedPath(path), path).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
  await flushFolder(dirname(path));
}

/** Drops the prepared state. */
export async function discardPrepared(path: string): Promise<void> {
  await rm(preparedPath(path), { force: true });
}
