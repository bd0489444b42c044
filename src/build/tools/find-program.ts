import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Where a shell looks for programs without a PATH. */
export const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** A program's file. `identity` changes when the file does. */
export type ProgramFile = { readonly path: string; readonly file: string; readonly identity: string };

/** Finds the file that a shell would start for a program; `null` if there is none. */
export async function findProgram(program: string, path: string): Promise<ProgramFile | null> {
  for (const folder of path.split(delimiter)) {
    const found = join(folder === "" ? "." : folder, program);
    try {
      await access(found, constants.X_OK);
      const facts = await stat(found);
      const file = await realpath(found);
      const identity = `${file} ${facts.ino} ${facts.mtimeMs} ${facts.size}`;
      if (facts.isFile()) return { path: found, file, identity };
    } catch {
      // Not in this folder, or not executable.
    }
  }
  return null;
}
