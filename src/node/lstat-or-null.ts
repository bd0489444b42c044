import { lstat } from "node:fs/promises";

import { hasCode } from "#node/has-code.ts";

/** The file's status, without following a link; `null` when it does not exist. */
export async function lstatOrNull(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
