import { open, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Host } from "./host.ts";

const ballastOf = (host: Host): string => join(host.home, "ballast");

/** Writes to the disk of an agent's home until there is no room for a byte more. */
export async function fillDisk(host: Host): Promise<void> {
  if (!host.hasOwnDisk) throw new Error(`the disk of ${host.name} is everybody's`);
  const file = await open(ballastOf(host), "a");
  for (const bytes of [64 * 1024, 1024, 1]) {
    const piece = Buffer.alloc(bytes);
    try {
      while ((await file.write(piece)).bytesWritten === bytes);
    } catch {
      // There is no room for a piece of this size.
    }
  }
  await file.close();
}

/** Gives the room back. */
export async function emptyDisk(host: Host): Promise<void> {
  await rm(ballastOf(host), { force: true });
}
