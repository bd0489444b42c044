import { randomUUID } from "node:crypto";
import { chown, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { hostsIn, type HostKey, keysOf, type SshHost, withoutHost } from "#agent/git/ssh/known-hosts.ts";
import { DRAFT, sshFolder } from "#agent/git/ssh/ssh-folder.ts";

/** The known_hosts files that ssh reads: the pins, to which it adds, the built-in ones, and those of the user. */
export function knownHostsFiles(home: string, userHome: string | undefined): readonly string[] {
  const { pins, forges } = sshFolder(home);
  return [pins, forges, ...(userHome === undefined ? [] : [join(userHome, ".ssh", "known_hosts")])];
}

const GLOBAL_HOSTS = "/etc/ssh/ssh_known_hosts";

/** The keys of a host in these files and in the system's file. */
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
