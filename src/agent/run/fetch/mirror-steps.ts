import { dirname } from "node:path";

import { checkMirror, fetchAll, type GitPlace, initMirror, showCommit } from "#agent/commands/git.ts";
import { type CommitShown, readCommit } from "#agent/commands/read-git-output.ts";
import { isLocal } from "#agent/commands/submodule-url.ts";
import type { GitRunner } from "#agent/run/fetch/git-runner.ts";
import type { Step } from "#agent/run/step/step.ts";
import { discardMirror, markComplete, readMirror, removeGitLeftovers } from "#agent/workspace/mirror.ts";
import { succeed } from "#contract/lib/result.ts";

/** A repository to fetch from, and the mirrors of it, one for each kind of hash. */
export type Origin = {
  readonly repository: string;
  readonly mirrors: { readonly sha1: string; readonly sha256: string };
  /** The repository as it may be shown. */
  readonly shown: string;
  /** Nothing may lead to another place than the one that was allowed. */
  readonly isConfined: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds that only rise. */
  readonly now: () => number;
};

export type FetchedCommit = CommitShown & { readonly place: GitPlace };

/** The mirror for this kind of hash, made if there is none. */
export async function prepareMirror(
  git: GitRunner,
  origin: Origin,
  format: "sha1" | "sha256",
): Promise<Step<GitPlace>> {
  const place: GitPlace = {
    gitDir: origin.mirrors[format],
    remote: origin.repository,
    allowLocal: isLocal(origin.repository),
    isConfined: origin.isConfined,
    env: origin.env,
  };
  if ((await readMirror(place.gitDir, origin.repository)).exists) {
    await removeGitLeftovers(place.gitDir);
    return succeed(place);
  }
  const made = await git.run(initMirror(place, cwdOf(place), format));
  if (!made.ok) return made;
  return made.value.code === 0 ? succeed(place) : git.explain(made.value, "making the mirror failed");
}

/** @returns `null` when the mirror has no such commit, or several of that short name */
export async function findCommit(
  git: GitRunner,
  place: GitPlace,
  name: string,
): Promise<Step<FetchedCommit | null>> {
  const shown = await git.run(showCommit(place, cwdOf(place), name), "probe");
  if (!shown.ok) return shown;
  const commit = shown.value.code === 0 ? readCommit(shown.value.stdout) : null;
  return succeed(commit === null ? null : { ...commit, place });
}

/** Brings all branches and tags, with all of their history. */
export async function fetchEverything(git: GitRunner, origin: Origin, place: GitPlace): Promise<Step<null>> {
  const startedAt = origin.now();
  const { isShallow } = await readMirror(place.gitDir, origin.repository);
  const fetched = await git.run(fetchAll(place, cwdOf(place), isShallow));
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0) return git.explain(fetched.value, `fetching ${origin.shown} failed`);
  await markComplete(place.gitDir, origin.repository);
  git.note(`fetched every branch and tag of ${origin.shown}`, startedAt);
  return succeed(null);
}

/** @returns whether a mirror was damaged, and is gone now */
export async function discardDamaged(git: GitRunner, origin: Origin): Promise<Step<boolean>> {
  let isAny = false;
  for (const gitDir of [origin.mirrors.sha1, origin.mirrors.sha256]) {
    if (!(await readMirror(gitDir, origin.repository)).exists) continue;
    const place: GitPlace = { gitDir, remote: null, allowLocal: false, isConfined: true, env: origin.env };
    const checked = await git.run(checkMirror(place, cwdOf(place)), "probe");
    if (!checked.ok) return checked;
    if (checked.value.code === 0) continue;
    await discardMirror(gitDir);
    isAny = true;
  }
  return succeed(isAny);
}

/** The object format of a repository that has a commit of this name, which has to be whole. */
export function formatOf(sha: string): "sha1" | "sha256" {
  return sha.length === 64 ? "sha256" : "sha1";
}

/** Where git runs: the folder that the mirror lies in, as the mirror itself may not be there yet. */
export function cwdOf(place: GitPlace): string {
  return dirname(place.gitDir);
}
