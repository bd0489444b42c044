import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

import * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { variable } from "#cli/settings/variable.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** The installations that this person has signed in to, by their addresses; `current` is the last of them. */
export const Config = z.object({
  current: z.nullable(z.string()),
  installations: z.record(z.string(), z.object({ token: z.string() })),
});
export type Config = z.infer<typeof Config>;

const EMPTY: Config = { current: null, installations: {} };

/**
 * Null for who has no home, such as a user of a container who has nothing but a number.
 * Source: the XDG Base Directory Specification, for which a path that is not absolute is none.
 */
export function configPath(environment: NodeJS.ProcessEnv): string | null {
  const given = variable(environment, "XDG_CONFIG_HOME");
  const base = given !== null && isAbsolute(given) ? given : homeConfig();
  return base === null ? null : join(base, "gantry", "config.json");
}

function homeConfig(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? join(home, ".config") : null;
  } catch {
    return null;
  }
}

/** @param path null: there is none, and nothing is in it */
export async function readConfig(path: string | null): Promise<Result<Config>> {
  if (path === null) return succeed(EMPTY);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    // A home that is no folder, such as /dev/null, holds nothing either.
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return succeed(EMPTY);
    return stop("unreadable_file", `${path} cannot be read: ${messageOf(error)}.`);
  }
  const config = Config.safeParse(parseJson(text));
  return config.success
    ? succeed(config.data)
    : stop("unreadable_file", `${path} is not what gantry login writes. Move it away and sign in again.`);
}

/** Whether others on this machine can read the tokens. */
export async function isReadByOthers(path: string | null): Promise<boolean> {
  if (path === null) return false;
  const mode = await stat(path).then(
    (file) => file.mode,
    () => 0,
  );
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

/** Replaces the file at once. Only this user may read it, whatever the one before allowed. */
export async function writeConfig(path: string | null, config: Config): Promise<Result<true>> {
  if (path === null)
    return stop(
      "unwritable_file",
      "You have no home to keep a token in. Set XDG_CONFIG_HOME, or GANTRY_TOKEN.",
    );
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomic(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, uniqueDraft: true });
    return succeed(true);
  } catch (error) {
    return stop("unwritable_file", `${path} cannot be written: ${messageOf(error)}.`);
  }
}
