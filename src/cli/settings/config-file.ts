import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

import * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { variable } from "#cli/settings/variable.ts";
import { attempt } from "#node/attempt.ts";
import { hasCode } from "#node/has-code.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * The installations that the user has signed in to, by URL, with their tokens. `keyring`: the URLs whose tokens are in the keyring of
 * the desktop. `current` is the URL of the last sign-in. `seal_keys`: the fingerprints of the servers' seal keys, by the
 * installation's URL and the ID of the server, and of each project whose secrets were sealed for it. They outlive a sign-out.
 */
export const Config = z.object({
  current: z.nullable(z.string()),
  installations: z.record(z.string(), z.object({ token: z.string() })),
  keyring: z._default(z.array(z.string()), []),
  seal_keys: z._default(z.record(z.string(), z.record(z.string(), z.string())), {}),
});
export type Config = z.infer<typeof Config>;

const EMPTY: Config = { current: null, installations: {}, keyring: [], seal_keys: {} };

/**
 * The path of the configuration file. Null without a home directory, such as in a container that runs as a bare user ID.
 * Source: the XDG Base Directory Specification, which ignores relative paths.
 */
export function configPath(environment: NodeJS.ProcessEnv): string | null {
  const given = variable(environment, "XDG_CONFIG_HOME");
  const base = given !== null && isAbsolute(given) ? given : homeConfig();
  return base === null ? null : join(base, "gantry", "config.json");
}

function homeConfig(): string | null {
  const home = attempt(homedir, "");
  return isAbsolute(home) ? join(home, ".config") : null;
}

/** Reads the configuration; empty if `path` is null or there is no such file. */
export async function readConfig(path: string | null): Promise<Result<Config>> {
  if (path === null) return succeed(EMPTY);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    // ENOTDIR: the home is not a directory, such as /dev/null.
    if (hasCode(error, "ENOENT", "ENOTDIR")) return succeed(EMPTY);
    return stop("unreadable_file", `${path} cannot be read: ${messageOf(error)}.`);
  }
  const config = Config.safeParse(parseJson(text));
  return config.success
    ? succeed(config.data)
    : stop("unreadable_file", `${path} is not a valid configuration file. Move it away and sign in again.`);
}

/** Whether other users of this machine can read the tokens. */
export async function isReadByOthers(path: string | null): Promise<boolean> {
  if (path === null) return false;
  const mode = (await stat(path).catch(() => null))?.mode ?? 0;
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

/** Replaces the file atomically. The new file is readable only by this user, whatever mode the old one had. */
export async function writeConfig(path: string | null, config: Config): Promise<Result<true>> {
  if (path === null)
    return stop(
      "unwritable_file",
      "There is no home directory for the configuration file. Set XDG_CONFIG_HOME.",
    );
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomic(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, uniqueDraft: true });
    return succeed(true);
  } catch (error) {
    return stop("unwritable_file", `${path} cannot be written: ${messageOf(error)}.`);
  }
}
