import { realpath, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/**
 * What tells a version of a tool from another one without running it: where its program is, its size and its date. An
 * update changes them. A shim of a version manager stays the same, but it reads its version from files of the repository.
 * @param path the PATH of the command
 * @returns null when there is no such program
 */
export async function identifyTool(program: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter)) {
    const file = await realpath(join(folder, program)).catch(() => null);
    if (file === null) continue;
    const found = await stat(file, { bigint: true }).catch(() => null);
    if (found?.isFile() === true) return `${file} ${found.size} ${found.mtimeNs}`;
  }
  return null;
}
