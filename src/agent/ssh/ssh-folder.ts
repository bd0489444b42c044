import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createKeyPair, fingerprintOf, publicKeyOf } from "#agent/ssh/openssh-key.ts";
import {
  FORGE_HOSTS,
  hostsIn,
  keysOf,
  type HostKey,
  type SshHost,
  withoutHost,
} from "#agent/ssh/known-hosts.ts";
import { ProjectId } from "#contract/ids.ts";
import { writeAtomic, writeOnce } from "#node/write-atomic.ts";
import { hasCode } from "#node/has-code.ts";

/** A key with which the agent reads repositories. */
export type DeployKey = {
  /** The private key's file. */
  readonly path: string;
  /** One line: the type, the key and a comment. */
  readonly publicKey: string;
  readonly fingerprint: string;
};

/** Which key: one of its own for each project, or one for all projects of the server. */
export type KeyOwner = ProjectId | "server";

const DRAFT = ".tmp";
const TEST = "test-";

/**
 * The agent's keys and known hosts. They are outside of the project's folder, which builds can see, and readable by
 * the agent's user only.
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

/**
 * Returns a deploy key, and makes it if it does not exist. There is never more than one, whenever the agent is killed.
 * @param nameOf the comment of a new key
 * @throws if the key cannot be written, or the existing one is damaged
 */
export async function ensureDeployKey(
  home: string,
  owner: KeyOwner,
  nameOf: () => string,
): Promise<DeployKey> {
  const existing = await readDeployKey(home, owner);
  if (existing !== null) return existing;
  const { keys } = sshFolder(home);
  const path = join(keys, owner);
  await mkdir(keys, { recursive: true, mode: 0o700 });
  await writeOnce(path, createKeyPair(nameOf()).privateKey);
  const made = await readDeployKey(home, owner);
  if (made === null) throw new Error(`the deploy key ${path} has disappeared`);
  return made;
}

/** @returns `null` when it was not made yet. @throws if it is damaged */
export async function readDeployKey(home: string, owner: KeyOwner): Promise<DeployKey | null> {
  const path = join(sshFolder(home).keys, owner);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  const publicKey = publicKeyOf(text);
  if (publicKey === null)
    throw new Error(
      `the deploy key ${path} is damaged: delete the file, and add the new key that the agent then makes to the repository`,
    );
  return { path, publicKey, fingerprint: fingerprintOf(publicKey.split(" ")[1] ?? "") };
}

/** The projects that have a key of their own. */
export async function listKeyOwners(home: string): Promise<readonly ProjectId[]> {
  const names = await readdir(sshFolder(home).keys).catch(() => []);
  return names.flatMap((name) => {
    const id = ProjectId.safeParse(name);
    return id.success ? [id.data] : [];
  });
}

export async function removeDeployKey(home: string, projectId: ProjectId): Promise<void> {
  await rm(join(sshFolder(home).keys, projectId), { force: true });
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

/** The known_hosts files that ssh reads: the pins, to which it adds, the built-in ones, and those of the user. */
export function knownHostsFiles(home: string, userHome: string | undefined): readonly string[] {
  const { pins, forges } = sshFolder(home);
  return [pins, forges, ...(userHome === undefined ? [] : [join(userHome, ".ssh", "known_hosts")])];
}

const GLOBAL_HOSTS = "/etc/ssh/ssh_known_hosts";

/** The keys by which ssh knows a host here. */
export async function knownKeys(files: readonly string[], host: SshHost): Promise<readonly HostKey[]> {
  const read = [...files, GLOBAL_HOSTS].map((path) => readFile(path, "utf8").catch(() => ""));
  return keysOf(host, await Promise.all(read));
}

/** The hosts that were trusted on their first use. */
export async function pinnedHosts(home: string) {
  return hostsIn(await readFile(sshFolder(home).pins, "utf8").catch(() => ""));
}

/**
 * Removes the pins of a host, so that its next key is trusted. The file keeps its owner, also when root does this.
 * @returns whether it had any
 */
export async function forgetHost(home: string, host: SshHost): Promise<boolean> {
  const { pins } = sshFolder(home);
  const before = await readFile(pins, "utf8").catch(() => "");
  const after = withoutHost(host, before);
  if (after === before) return false;
  const draft = `${pins}.${randomUUID()}${DRAFT}`;
  const { uid, gid } = await stat(pins);
  await writeFile(draft, after, { mode: 0o600, flush: true });
  await chown(draft, uid, gid);
  await rename(draft, pins);
  return true;
}

const OWN_KEYS = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** The default keys of the agent's user that exist. */
export function ownIdentities(userHome: string | undefined): readonly string[] {
  if (userHome === undefined) return [];
  return OWN_KEYS.map((name) => join(userHome, ".ssh", name)).filter((path) => existsSync(path));
}
