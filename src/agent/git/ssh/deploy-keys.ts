import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { createKeyPair, fingerprintOf, publicKeyOf } from "#agent/git/ssh/openssh-key.ts";
import { sshFolder } from "#agent/git/ssh/ssh-folder.ts";
import { ProjectId } from "#contract/ids.ts";
import { hasCode } from "#node/has-code.ts";
import { writeOnce } from "#node/write-atomic.ts";

/** A key with which git reads repositories over ssh. */
export type DeployKey = {
  /** The private key's file. */
  readonly path: string;
  /** One line: the type, the key and a comment. */
  readonly publicKey: string;
  readonly fingerprint: string;
};

/** Which key: one of its own for each project, or one for all projects of the server. */
export type KeyOwner = ProjectId | "server";

/**
 * Returns a deploy key, and creates it if it does not exist. There is never more than one, whenever the agent is killed.
 * @param comment names a new key on the pages of git hosts
 * @throws if the key cannot be written, or the existing one is damaged
 */
export async function ensureDeployKey(home: string, owner: KeyOwner, comment: string): Promise<DeployKey> {
  const existing = await readDeployKey(home, owner);
  if (existing !== null) return existing;
  const { keys } = sshFolder(home);
  const path = join(keys, owner);
  await mkdir(keys, { recursive: true, mode: 0o700 });
  await writeOnce(path, createKeyPair(comment).privateKey);
  const created = await readDeployKey(home, owner);
  if (created === null) throw new Error(`the deploy key ${path} has disappeared`);
  return created;
}

/** @returns `null` when it does not exist yet. @throws if it is damaged */
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
      `the deploy key ${path} is damaged: delete the file, and add the new key that the agent then creates to the repository`,
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

/** Whether the projects of this server share a deploy key now, or did before. */
export async function hasSharedKey(home: string): Promise<boolean> {
  const names: readonly string[] = await readdir(sshFolder(home).keys).catch(() => []);
  return names.includes("server");
}

export async function removeDeployKey(home: string, projectId: ProjectId): Promise<void> {
  await rm(join(sshFolder(home).keys, projectId), { force: true });
}
