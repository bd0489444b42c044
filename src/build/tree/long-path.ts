import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Linux allows 4096 bytes; this leaves room for the longest name and a few more. */
const LONGEST_BYTES = 3_500;

/**
 * Runs an action in a folder whose path may be too long. Such a folder is opened and reached through its descriptor,
 * so that a tree can be as deep as a build makes it.
 * @param path the folder, reached through its parent
 * @param act gets the path to use for the folder; valid until its promise resolves
 */
export async function inLongPath<Value>(
  path: string,
  act: (reachable: string) => Promise<Value>,
): Promise<Value> {
  if (Buffer.byteLength(path) <= LONGEST_BYTES) return act(path);
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return await act(`/proc/self/fd/${folder.fd}`);
  } finally {
    await folder.close();
  }
}
