import {
  everyRef,
  FETCHED_REFS,
  fetchOptions,
  git,
  type GitPlace,
  REMOTE,
  TIP,
} from "#agent/git/commands/git.ts";
import type { Command } from "#build/process/command.ts";

/** The depth that git itself uses for `--unshallow`. */
const WHOLE_HISTORY = 2_147_483_647;

/**
 * Fetches the commits of all branches and tags, without trees and files. A remote that does not support this sends
 * them too. git fetches a tree that a tag names directly afterwards, because it must exist.
 * Always with a depth: without one, git loops on a remote that is itself shallow, because it takes the missing
 * parents for objects that it filtered out, and starts another fetch for them.
 * @param depth how many commits of each history; `null` for all
 */
export function fetchGraph(place: GitPlace, depth: number | null): Command {
  return git(place, [
    "fetch",
    ...fetchOptions,
    "--prune",
    `--depth=${depth ?? WHOLE_HISTORY}`,
    "--filter=tree:0",
    REMOTE,
    ...everyRef,
  ]);
}

/** Fetches one commit by its ref or its hash into `TIP`, without its tree and files. */
export function fetchCommitAlone(place: GitPlace, from: string): Command {
  return git(place, ["fetch", ...fetchOptions, "--depth=1", "--filter=tree:0", REMOTE, `+${from}:${TIP}`]);
}

/**
 * Removes the remote's promisor configuration after each fetch. Otherwise git would fetch every missing object one by
 * one, and each of those fetches may start another one, endlessly.
 */
export function removePromisor(place: GitPlace): Command {
  return git(place, ["config", "--remove-section", `remote.${REMOTE}`]);
}

/** Prints the names of the fetched branches and tags. */
export function listGraphRefs(place: GitPlace): Command {
  return read(place, ["for-each-ref", "--format=%(refname)", FETCHED_REFS.heads, FETCHED_REFS.tags]);
}

/** Prints the commits that names point to. Tags of tags are followed to the end; a tag of a file or tree is skipped. */
export function listCommits(place: GitPlace, names: readonly string[]): Command {
  return read(place, ["rev-list", "--no-walk=unsorted", ...names, "--"]);
}

/** Prints the hashes of all objects that start with the prefix. */
export function listObjects(place: GitPlace, prefix: string): Command {
  return read(place, ["rev-parse", `--disambiguate=${prefix}`]);
}

/**
 * Prints the commit itself if one of the tips contains it; otherwise another commit, or nothing with exit code 1.
 * Unlike `rev-list --not`, it does not depend on commit dates, and it walks the history once for all tips.
 */
export function mergeBase(place: GitPlace, sha: string, tips: readonly string[]): Command {
  return read(place, ["merge-base", sha, ...tips]);
}

function read(place: GitPlace, args: readonly string[]): Command {
  return git({ ...place, remote: null, uploadPack: null }, args);
}
