import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import * as z from "zod/mini";

import { type Found, found, stop } from "#cli/outcome.ts";
import { variable } from "#cli/settings/variable.ts";
import { parseJson } from "#contract/parse-json.ts";

/** The installations that this person has signed in to, by their addresses; `current` is the last of them. */
export const Config = z.object({
  current: z.nullable(z.string()),
  installations: z.record(z.string(), z.object({ token: z.string() })),
});
export type Config = z.infer<typeof Config>;

const EMPTY: Config = { current: null, installations: {} };

/** Source: the XDG Base Directory Specification. */
export function configPath(environment: NodeJS.ProcessEnv): string {
  const base = variable(environment, "XDG_CONFIG_HOME") ?? join(homedir(), ".config");
  return join(base, "gantry", "config.json");
}

export async function readConfig(path: string): Promise<Found<Config>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return found(EMPTY);
    return stop("unreadable_file", `${path} cannot be read: ${String(error)}`);
  }
  const config = Config.safeParse(parseJson(text));
  return config.success
    ? found(config.data)
    : stop("unreadable_file", `${path} is not what gantry login writes. Move it away and sign in again.`);
}

/** Whether others on this machine can read the tokens. */
export async function isReadByOthers(path: string): Promise<boolean> {
  const mode = await stat(path).then(
    (file) => file.mode,
    () => 0,
  );
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

/** Replaces the file at once. Only this user may read it, whatever the one before allowed. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}
