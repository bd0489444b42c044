import { createHash } from "node:crypto";
import { access, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/**
 * What a bare repository of ours holds. `shallow`: histories in it are cut off; `complete`: every branch and tag
 * of the remote was in it once, with its history, so a short commit hash that is unique here may be trusted.
 */
export type MirrorState = {
  readonly exists: boolean;
  readonly isShallow: boolean;
  readonly isComplete: boolean;
};

const COMPLETE_MARK = "gantry-complete";

/** @param repository what it mirrors now; a project's repository may change, and its mirror stays */
export async function readMirror(gitDir: string, repository: string): Promise<MirrorState> {
  const mark = await readFile(join(gitDir, COMPLETE_MARK), "utf8").catch(() => null);
  return {
    exists: await isThere(join(gitDir, "HEAD")),
    isShallow: await isThere(join(gitDir, "shallow")),
    isComplete: mark === markOf(repository),
  };
}

/** Notes that everything of the remote was fetched (`isComplete`). */
export async function markComplete(gitDir: string, repository: string): Promise<void> {
  await writeFile(join(gitDir, COMPLETE_MARK), markOf(repository));
}

/** A hash, as the address may hold a password. */
function markOf(repository: string): string {
  return createHash("sha256").update(repository).digest("hex");
}

/**
 * Removes what a killed git leaves behind: locks, which would fail every later fetch, and half a pack.
 * No other git works on the mirror, as a project has one run at a time.
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

/** Where a project's mirrors are, those of its submodules too. Not all of them need be there. */
export async function listMirrors({ mirrors }: ProjectFolder): Promise<readonly string[]> {
  const modules = (await namesIn(mirrors.modules)).map((name) => join(mirrors.modules, name));
  return [mirrors.sha1, mirrors.sha256, ...modules];
}

/** Removes what failed and killed fetches have left in all of a project's mirrors. */
export async function removeAllGitLeftovers(folder: ProjectFolder): Promise<void> {
  for (const gitDir of await listMirrors(folder)) await removeGitLeftovers(gitDir);
}

/** Removes a mirror, so that the next fetch begins anew. */
export async function discardMirror(gitDir: string): Promise<void> {
  const bin = `${gitDir}.damaged`;
  await removeTree(bin);
  // Renamed first: half a mirror must not be taken for one after a crash.
  await rename(gitDir, bin).catch(() => undefined);
  await removeTree(bin);
}

/** Every fetch adds a pack; from this many on, one pack of all is made. */
const MANY_PACKS = 50;

/** Whether so many packs have gathered that they should become one. False where there is no mirror. */
export async function hasManyPacks(gitDir: string): Promise<boolean> {
  const names = await namesIn(join(gitDir, "objects/pack"));
  return names.filter((name) => name.endsWith(".pack")).length > MANY_PACKS;
}

async function namesIn(path: string, recursive = false): Promise<readonly string[]> {
  return readdir(path, { recursive }).catch(() => []);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
