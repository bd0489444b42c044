import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { FORGE_HOSTS } from "#agent/git/ssh/known-hosts.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** The end of the names of unfinished files. */
export const DRAFT = ".tmp";
const TEST = "test-";

/**
 * The paths of deploy keys, logins and known hosts. They are outside of the project's folder, which builds can see, and
 * only the agent's user can read them.
 */
export function sshFolder(home: string) {
  const root = join(home, "git-ssh");
  return {
    root,
    keys: join(root, "keys"),
    /** Logins of https addresses, while git uses them. */
    logins: join(root, "logins"),
    pins: join(root, "known_hosts"),
    forges: join(root, "forge_hosts"),
  };
}

/** Writes a login for git's credential helper, readable by the agent's user only. @returns the file's path */
export async function writeLogin(home: string, marker: string, login: string): Promise<string> {
  const folder = join(sshFolder(home).logins, marker);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  await writeFile(path, login, { mode: 0o600 });
  return path;
}

/** Removes the logins of a run or a test. Those of an agent that was killed are removed at the next start. */
export async function removeLogins(home: string, marker: string): Promise<void> {
  await rm(join(sshFolder(home).logins, marker), { recursive: true, force: true });
}

/** Creates an empty folder in which git can run. The caller removes it. */
export async function createTestFolder(home: string): Promise<string> {
  const { root } = sshFolder(home);
  await mkdir(root, { recursive: true, mode: 0o700 });
  return mkdtemp(join(root, TEST));
}

/** Writes the built-in host keys, and removes what agents that were killed have left. */
export async function prepareSshFolder(home: string): Promise<void> {
  const { root, keys, logins, forges } = sshFolder(home);
  await rm(logins, { recursive: true, force: true });
  await mkdir(root, { recursive: true, mode: 0o700 });
  if ((await readFile(forges, "utf8").catch(() => null)) !== FORGE_HOSTS)
    await writeAtomic(forges, FORGE_HOSTS);
  for (const folder of [root, keys])
    for (const name of await readdir(folder).catch(() => []))
      if (name.endsWith(DRAFT) || name.startsWith(TEST))
        await rm(join(folder, name), { recursive: true, force: true });
}
