import { checkMirror, fetchAll, type GitPlace, initMirror, showCommit } from "#agent/git/commands/git.ts";
import { type CommitShown, readCommit } from "#agent/git/commands/read-git-output.ts";
import { readRemoteFailure } from "#agent/git/commands/remote-failure.ts";
import type { GitAnswer, GitRunner } from "#agent/git/mirror/git-runner.ts";
import type { Step } from "#agent/step/step.ts";
import { adviceFor } from "#agent/git/failure-advice.ts";
import type { RepositoryAccess } from "#agent/git/repository-access.ts";
import {
  discardMirror,
  isEmptyMirror,
  markComplete,
  readMirror,
  removeGitLeftovers,
} from "#agent/git/mirror/mirror.ts";
import { succeed } from "#contract/lib/result.ts";

/** A repository to fetch from and its mirrors, one for each hash format. */
export type Origin = {
  readonly repository: string;
  readonly mirrors: { readonly sha1: string; readonly sha256: string };
  /** The address with its secrets masked. */
  readonly shown: string;
  /** Whether git must not be led to another address than the allowed one. */
  readonly isConfined: boolean;
  readonly access: RepositoryAccess;
  /** The project's name, for commands in messages. */
  readonly projectName: string;
  /** The branch in the project's settings; null: not known. */
  readonly projectBranch: string | null;
  /** The page with the project's deploy key. */
  readonly stepsUrl: string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
};

export type FetchedCommit = CommitShown & { readonly place: GitPlace };

/**
 * A commit in a mirror, by its hash or by a ref that points to it. `commit`: its hash and message, which are read while
 * its files are written. Fails if the name does not point to a commit.
 */
export type InMirror = {
  readonly place: GitPlace;
  readonly name: string;
  readonly commit: Promise<Step<FetchedCommit>>;
};

/** Returns the mirror for this hash format, and creates it if it does not exist. */
export async function prepareMirror(
  git: GitRunner,
  origin: Origin,
  format: "sha1" | "sha256",
): Promise<Step<GitPlace>> {
  const place: GitPlace = {
    gitDir: origin.mirrors[format],
    remote: origin.repository,
    uploadPack: origin.access.uploadPack,
    isConfined: origin.isConfined,
    env: origin.access.env,
  };
  if ((await readMirror(place.gitDir, origin.repository)).exists) {
    await removeGitLeftovers(place.gitDir);
    return succeed(place);
  }
  const made = await git.run(initMirror(place, format));
  if (!made.ok) return made;
  return made.value.code === 0 ? succeed(place) : git.explain(made.value, "creating the mirror failed");
}

/** @returns `null` when the mirror does not have this commit, or several commits match a short hash */
export async function findCommit(
  git: GitRunner,
  place: GitPlace,
  name: string,
): Promise<Step<FetchedCommit | null>> {
  // Saves a process in the first deployment of a project.
  if (await isEmptyMirror(place.gitDir)) return succeed(null);
  const shown = await git.run(showCommit(place, name), "probe");
  if (!shown.ok) return shown;
  const commit = shown.value.code === 0 ? readCommit(shown.value.stdout) : null;
  return succeed(commit === null ? null : { ...commit, place });
}

/** Fetches all branches and tags with their complete history. */
export async function fetchEverything(git: GitRunner, origin: Origin, place: GitPlace): Promise<Step<null>> {
  const startedAt = origin.now();
  const { isShallow } = await readMirror(place.gitDir, origin.repository);
  const fetched = await git.run(fetchAll(place, isShallow));
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0)
    return explainRemote(git, origin, fetched.value, `fetching ${origin.shown} failed`);
  await markComplete(place.gitDir, origin.repository);
  git.logStep(`fetched every branch and tag of ${origin.shown}`, startedAt);
  return succeed(null);
}

/** Removes damaged mirrors. @returns whether any was damaged */
export async function discardDamaged(git: GitRunner, origin: Origin): Promise<Step<boolean>> {
  let hasDiscarded = false;
  for (const gitDir of [origin.mirrors.sha1, origin.mirrors.sha256]) {
    if (!(await readMirror(gitDir, origin.repository)).exists) continue;
    const place: GitPlace = {
      gitDir,
      remote: null,
      uploadPack: null,
      isConfined: true,
      env: origin.access.env,
    };
    const checked = await git.run(checkMirror(place), "probe");
    if (!checked.ok) return checked;
    if (checked.value.code === 0) continue;
    await discardMirror(gitDir);
    hasDiscarded = true;
  }
  return succeed(hasDiscarded);
}

/** As `explain`, for a command that reads the remote: adds which key or login was tried, and what to do. */
export function explainRemote(
  git: GitRunner,
  { access, stepsUrl }: Origin,
  answer: GitAnswer,
  what: string,
): Promise<Step<never>> {
  return git.explain(answer, what, adviceFor(readRemoteFailure(answer.ran.stderrTail), access, stepsUrl));
}

/** The hash format of the mirror to fetch into first. A repository with SHA-256 hashes has an empty one for SHA-1 too. */
export async function formatInUse({ mirrors, repository }: Origin): Promise<"sha1" | "sha256"> {
  const { exists } = await readMirror(mirrors.sha256, repository);
  return exists && (await isEmptyMirror(mirrors.sha1)) ? "sha256" : "sha1";
}

/** The object format of a repository, derived from a full commit hash. */
export function formatOf(sha: string): "sha1" | "sha256" {
  return sha.length === 64 ? "sha256" : "sha1";
}
