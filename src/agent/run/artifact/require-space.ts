import { statfs } from "node:fs/promises";

import { sizeText } from "#contract/lib/size-text.ts";

/** As the system's own error, so that it is treated as a full disk. */
class NoSpace extends Error {
  readonly code = "ENOSPC";
}

/**
 * Checks that a disk has room before it is filled, because the apps of the server write to it too.
 * @param path on the disk
 * @throws an error with the code ENOSPC
 */
export async function requireSpace(path: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  if (free < bytes) throw new NoSpace(`${what} takes ${sizeText(bytes)}, and ${sizeText(free)} are free`);
}
