import { resolve } from "node:path";

import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** Writes a file as a whole: if the command is killed, the file is as before. */
export async function writeOutput(
  { folder }: CommandContext,
  path: string,
  text: string,
): Promise<Result<null>> {
  try {
    await writeAtomic(resolve(folder, path), text);
    return succeed(null);
  } catch (error) {
    return stop("unwritable_file", `${path} cannot be written: ${messageOf(error)}.`);
  }
}
