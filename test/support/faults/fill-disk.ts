import { open } from "node:fs/promises";
import { join } from "node:path";

import type { Host } from "./host.ts";

/** Writes to the disk of an agent's home until there is no room for a byte more. @returns the file to remove again */
export async function fillDisk(host: Host): Promise<string> {
  if (!host.hasOwnDisk) throw new Error(`the disk of ${host.name} is everybody's`);
  const path = join(host.home, "ballast");
  const file = await open(path, "a");
  for (const bytes of [64 * 1024, 1024, 1]) {
    const piece = Buffer.alloc(bytes);
    try {
      while ((await file.write(piece)).bytesWritten === bytes);
    } catch {
      // There is no room for a piece of this size.
    }
  }
  await file.close();
  return path;
}
