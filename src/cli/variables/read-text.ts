import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { readStdin } from "#cli/ask.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** Reads a text from a file. @param path `-` for stdin */
export async function readText(context: CommandContext, path: string): Promise<Result<string>> {
  if (path === "-") return await readTextFromStdin(context);
  try {
    return decoded(await readFile(resolve(context.folder, path)), path);
  } catch (error) {
    return stop("unreadable_file", `${path} cannot be read: ${messageOf(error)}.`);
  }
}

/** Reads a text from stdin to its end. */
export async function readTextFromStdin(context: CommandContext): Promise<Result<string>> {
  const bytes = await readStdin(context);
  return bytes.ok ? decoded(bytes.value, "Standard input") : bytes;
}

/** Refuses bytes that are not UTF-8: replacing them would change the value. */
function decoded(bytes: Uint8Array, what: string): Result<string> {
  try {
    return succeed(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return stop("unreadable_file", `${what} is not UTF-8 text. Encode binary values, for example in base64.`);
  }
}
