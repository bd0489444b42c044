import { realpath, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * Writes a file as a whole: if the command is killed, the file is as before. A link stays, and so does what the file is: a pipe or
 * a terminal, such as /dev/stdout, is not replaced.
 * @param mode who may read the file; if omitted, as before
 */
export async function writeOutput(
  { folder }: CommandContext,
  path: string,
  text: string,
  mode?: number,
): Promise<Result<null>> {
  const given = resolve(folder, path);
  try {
    const found = await stat(given).catch(() => null);
    if (found !== null && !found.isFile()) await writeFile(given, text);
    else {
      const place = found === null ? given : await realpath(given);
      const kept = found === null ? {} : { mode: found.mode & 0o777 };
      await writeAtomic(place, text, { ...(mode === undefined ? kept : { mode }), uniqueDraft: true });
    }
    return succeed(null);
  } catch (error) {
    return stop("unwritable_file", `${path} cannot be written: ${messageOf(error)}.`);
  }
}
