import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { hasCode } from "#node/has-code.ts";

/** The longest path of a unix socket on macOS without the NUL. Linux allows 107 bytes. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * The socket of a home's supervisor. For a home with a long path, it is in a folder of this user in /tmp, which does not
 * depend on the environment.
 */
export function supervisorSocket(home: string): string {
  const path = join(home, "supervisor.sock");
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  return join("/tmp", `gantry-${process.getuid?.() ?? 0}-${hashOfHome(home)}`, "supervisor.sock");
}

/** Tells the homes on a machine apart, in a short text. */
export function hashOfHome(home: string): string {
  return createHash("sha256").update(home).digest("hex").slice(0, 16);
}

/**
 * Creates the folder of a socket outside of the home. The messages on the socket contain secrets.
 * @throws when another user has created the folder
 */
export async function prepareSocketFolder(home: string, socketPath: string): Promise<void> {
  const folder = dirname(socketPath);
  if (folder === home) return;
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to another user, or other users may open it.`);
}
