import { readdir } from "node:fs/promises";

import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { releasePath } from "#agent/workspace/releases.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";

/**
 * Runs a removal of files that may belong to a project's user, in folders that the agent cannot change. If it fails, the
 * helper gives the agent access or deletes them, and the removal runs once more.
 * @throws the error of the second try
 */
export async function removeOwned<Value>(
  context: AgentContext,
  folder: ProjectFolder,
  removal: () => Promise<Value>,
): Promise<Value> {
  if (context.isolation.kind === "none") return removal();
  try {
    return await removal();
  } catch {
    for (const name of await readdir(folder.releases).catch(() => []))
      if (/^[1-9]\d{0,14}$/.test(name)) await ownRelease(context, folder, Number(name));
    await context.isolation.discard(folder.id);
    return removal();
  }
}

/** Lets the agent change a release, whatever owners and modes a build or an app gave to its files. */
export async function ownRelease(
  { isolation, log }: AgentContext,
  folder: ProjectFolder,
  version: number,
): Promise<void> {
  if (isolation.kind === "none" || (await lstatOrNull(releasePath(folder, version))) === null) return;
  const owned = await isolation.own(folder.id, version);
  if (owned.kind === "failed") log(`${folder.id}: release ${version}: ${owned.reason}`);
}
