import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/**
 * The state of a mirror. `isShallow`: some histories are incomplete. `isComplete`: every branch and tag of the remote
 * was fetched once with its history, so a short commit hash that is unique here is reliable.
 */
export type MirrorState = {
  readonly exists: boolean;
  readonly isShallow: boolean;
  readonly isComplete: boolean;
};

const COMPLETE_MARK = "gantry-complete";

/** @param repository the current remote; a project's repository may change while its mirror stays */
export async function readMirror(gitDir: string, repository: string): Promise<MirrorState> {
  const mark = await readFile(join(gitDir, COMPLETE_MARK), "utf8").catch(() => null);
  return {
    exists: existsSync(join(gitDir, "HEAD")),
    isShallow: existsSync(join(gitDir, "shallow")),
    isComplete: mark === markOf(repository),
  };
}

/** Whether a mirror has no objects, as before its first fetch. */
export async function isEmptyMirror(gitDir: string): Promise<boolean> {
  const names = [
    ...(await namesIn(join(gitDir, "objects"))),
    ...(await namesIn(join(gitDir, "objects/pack"))),
  ];
  return names.every((name) => name === "info" || name === "pack");
}

/** Records that everything of the remote was fetched (`isComplete`). */
export async function markComplete(gitDir: string, repository: string): Promise<void> {
  await writeFile(join(gitDir, COMPLETE_MARK), markOf(repository));
}

/** A hash, because the address may contain a password. */
function markOf(repository: string): string {
  return createHash("sha256").update(repository).digest("hex");
}

/**
 * Removes the leftovers of a killed git: locks, which would make later fetches fail, and incomplete packs. No other
 * git uses the mirror, because a project has one run at a time.
 */
export async function removeGitLeftovers(gitDir: string): Promise<void> {
  const names = [
    ...(await namesIn(gitDir)).filter((name) => name.endsWith(".lock")),
    ...(await namesIn(join(gitDir, "refs"), true))
      .filter((name) => name.endsWith(".lock"))
      .map((name) => join("refs", name)),
    ...(await namesIn(join(gitDir, "objects/pack")))
      .filter((name) => name.startsWith("tmp_") || name.startsWith(".tmp"))
      .map((name) => join("objects/pack", name)),
  ];
  for (const name of names) await rm(join(gitDir, name), { force: true });
}

/** The paths of a project's mirrors, including those of its submodules. Not all of them exist. */
export async function listMirrors({ mirrors }: ProjectFolder): Promise<readonly string[]> {
  const modules = (await namesIn(mirrors.modules)).map((name) => join(mirrors.modules, name));
  return [mirrors.sha1, mirrors.sha256, ...modules];
}

/** Removes the leftovers of failed and killed fetches in all mirrors of a project. */
export async function removeAllGitLeftovers(folder: ProjectFolder): Promise<void> {
  for (const gitDir of await listMirrors(folder)) await removeGitLeftovers(gitDir);
}

/** Deletes a mirror, so that the next fetch starts from scratch. */
export async function discardMirror(gitDir: string): Promise<void> {
  const bin = `${gitDir}.damaged`;
  await removeTree(bin);
  // Renamed first, so that a crash does not leave an incomplete mirror.
  await rename(gitDir, bin).catch(() => undefined);
  await removeTree(bin);
}

/** Every fetch adds a pack. A mirror with more packs than this is repacked. */
const MANY_PACKS = 50;

/** Whether the mirror should be repacked. False when there is no mirror. */
export async function hasManyPacks(gitDir: string): Promise<boolean> {
  const names = await namesIn(join(gitDir, "objects/pack"));
  return names.filter((name) => name.endsWith(".pack")).length > MANY_PACKS;
}

async function namesIn(path: string, recursive = false): Promise<readonly string[]> {
  return readdir(path, { recursive }).catch(() => []);
}
