import { constants, type Stats } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { messageOf } from "#contract/lib/message-of.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** `reason`: what is wrong with the file, as the end of a sentence about it. */
export type TrustedRead = ResultOf<string, { readonly reason: string }>;

const MAX_BYTES = 1024 * 1024;

/**
 * Reads a file of this server's owner. Refuses a file that others could have written: it and each folder on its path must belong
 * to root or this user, and must not be writable by group or others.
 */
export async function readTrusted(path: string): Promise<TrustedRead> {
  const refuse = (reason: string): TrustedRead => ({ ok: false, reason });
  try {
    const real = await realpath(path);
    for (let folder = dirname(real); ; folder = dirname(folder)) {
      const wrong = whoElseWrites(await stat(folder));
      if (wrong !== null) return refuse(`is not trusted, because ${folder} ${wrong}`);
      if (folder === dirname(folder)) break;
    }
    // Check and read the opened file only. Without O_NONBLOCK, a pipe would block forever.
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) return refuse("is not a file");
      const wrong = whoElseWrites(found);
      if (wrong !== null) return refuse(`is not trusted, because it ${wrong}`);
      if (found.size > MAX_BYTES) return refuse("is larger than 1 MiB");
      return succeed(await file.readFile("utf8"));
    } finally {
      await file.close();
    }
  } catch (error) {
    return refuse(`cannot be read: ${messageOf(error)}`);
  }
}

function whoElseWrites(found: Stats): string | null {
  if (found.uid !== 0 && found.uid !== process.getuid?.())
    return `belongs to user ID ${found.uid}: it must belong to root or to the agent's user`;
  // In a folder with the sticky bit, users cannot replace files of other users.
  const isSticky = found.isDirectory() && (found.mode & 0o1000) !== 0;
  return (found.mode & 0o022) === 0 || isSticky
    ? null
    : "can be written to by a group or by others: run chmod go-w on it";
}
