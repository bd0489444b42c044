import { constants, existsSync } from "node:fs";
import { open } from "node:fs/promises";

/** Linux's O_PATH, which needs no right to read the folder. Node does not name it. */
const O_PATH = 0o10000000;
const OPEN_FOLDER = constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Other systems have no paths by descriptor, and no isolation. */
const hasDescriptorPaths = existsSync("/proc/self/fd");

/** A folder to read, or only a place whose modes are changed or whose names are used. */
type Use = "read" | "place";

/**
 * Opens a folder and runs an action with a path that leads to this folder, even if a process of the project replaces it
 * with a link in the meantime. The path is short, however deep the folder is.
 * @param path its last part must not be a link
 * @param act gets the path, which is valid until its promise resolves
 * @throws ENOTDIR or ELOOP when it is not a folder
 */
export async function holdFolder<Value>(
  path: string,
  use: Use,
  act: (held: string) => Promise<Value>,
): Promise<Value> {
  if (!hasDescriptorPaths) return act(path);
  const folder = await open(path, OPEN_FOLDER | (use === "read" ? constants.O_RDONLY : O_PATH));
  try {
    return await act(`/proc/self/fd/${folder.fd}`);
  } finally {
    await folder.close();
  }
}
