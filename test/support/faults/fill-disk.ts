import { open, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Host } from "./host.ts";

const ballastOf = (host: Host): string => join(host.home, "ballast");

/** Writes to the disk of an agent's home until no byte is free. */
export async function fillDisk(host: Host): Promise<void> {
  if (!host.hasOwnDisk) throw new Error(`${host.name} has no disk of its own`);
  const file = await open(ballastOf(host), "a");
  for (const bytes of [64 * 1024, 1024, 1]) {
    const piece = Buffer.alloc(bytes);
    try {
      while ((await file.write(piece)).bytesWritten === bytes);
    } catch {
      // No piece of this size fits.
    }
  }
  await file.close();
}

/** Frees the disk again. */
export async function emptyDisk(host: Host): Promise<void> {
  await rm(ballastOf(host), { force: true });
}
