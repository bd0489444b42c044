import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { slotFiles } from "#agent/ingress/slots.ts";
import { fileExists } from "#node/file-exists.ts";
import { writeAtomic } from "#node/write-atomic.ts";

type SlotFiles = ReturnType<typeof slotFiles>;

/** Nothing listens on port 1. The ingress tries a refused connection again, and so holds the request. */
const CLOSED = "127.0.0.1:1";
/** No address: the ingress gives up at once, and continues with the request. */
const OPEN = "127.0.0.1:open";

const secondOf = (ms: number) => Math.floor(ms / 1000);

/**
 * Holds the requests to a project from now on until `endsAt`, both in Unix milliseconds, also if it was paused for longer.
 * @throws the file system's error
 */
export async function writePause(files: SlotFiles, now: number, endsAt: number): Promise<void> {
  await mkdir(files.paused, { recursive: true });
  // First, because a request that finds the others reads it.
  await writeAtomic(files.gate, CLOSED);
  for (let second = secondOf(now); second * 1000 < endsAt; second += 1)
    await writeFile(join(files.paused, String(second)), "");
  // Also pauses that have passed: a pause that is begun again and again never ends.
  for (const name of await readdir(files.paused))
    if (Number(name) * 1000 >= endsAt || Number(name) < secondOf(now))
      await rm(join(files.paused, name), { force: true });
}

/** Lets the held requests through, and all later ones. Safe to repeat. @throws the file system's error */
export async function endPause(files: SlotFiles): Promise<void> {
  await rm(files.paused, { recursive: true, force: true });
  if (await fileExists(files.gate)) await writeAtomic(files.gate, OPEN);
}

/** When the pause of a project ends at the latest, in Unix milliseconds; null without one. Never throws. */
export async function pauseEnd(files: SlotFiles): Promise<number | null> {
  const names = await readdir(files.paused).catch(() => []);
  return names.length === 0 ? null : (Math.max(...names.map(Number)) + 1) * 1000;
}

/** Whether the requests to a project are held now. Never throws. */
export function isPaused(files: SlotFiles, now: number): Promise<boolean> {
  return fileExists(join(files.paused, String(secondOf(now))));
}
