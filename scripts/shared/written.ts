import { hasCode } from "#node/has-code.ts";

import { Problem } from "./problem.ts";

/**
 * Calls `write`, which writes to the path.
 * @param why what the path is for, as a sentence
 * @throws Problem if the path cannot be written to, which the user has to fix
 */
export async function written<Value>(path: string, why: string, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    throw new Problem(`Cannot write to ${path}: ${reason}.\n${why}`);
  }
}

/** Why the file system refused to write; null for any other error. */
function reasonOf(error: unknown): string | null {
  if (hasCode(error, "EACCES", "EPERM")) return "this user has no permission";
  if (hasCode(error, "EROFS")) return "the file system is read-only";
  if (hasCode(error, "ENOSPC", "EDQUOT")) return "the disk is full";
  if (hasCode(error, "EEXIST", "ENOTDIR", "EISDIR")) return "a file is where a folder belongs";
  return null;
}
