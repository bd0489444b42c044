import { git, type GitPlace, REMOTE } from "#agent/commands/git.ts";
import type { Command } from "#agent/process/command.ts";

/** Where a graph has the remote's branches and tags. */
export const GRAPH_REFS = { heads: "refs/gantry/heads/", tags: "refs/gantry/tags/" } as const;

/** What git itself passes for `--unshallow`. */
const WHOLE_HISTORY = 2_147_483_647;

/**
 * A local remote sends a filtered history only where its own configuration says so. git clears the environment of the
 * process that it starts there, so the option has to stand in the command.
 */
const LOCAL_UPLOAD_PACK = "--upload-pack=git -c uploadpack.allowFilter=true upload-pack";

/** Exit code 2: the remote has neither branches nor tags. Prints `<sha>\t<ref>` lines. */
export function listBranchesAndTags(place: GitPlace, cwd: string): Command {
  return git(place, cwd, ["ls-remote", "--exit-code", "--heads", "--tags", REMOTE]);
}

/**
 * Fetches the commits of all branches and tags, without trees and files. A remote that cannot leave those out sends them.
 * The tree that a tag names directly git fetches by itself afterwards, because it has to be there.
 * Always with a depth: without one, git loops on a remote that is shallow itself, because it takes the missing parents
 * for objects that it left out, and starts another fetch for them.
 * @param depth how many commits of each history; null: all
 */
export function fetchGraph(place: GitPlace, cwd: string, depth: number | null): Command {
  return git(place, cwd, [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--force",
    "--update-shallow",
    "--prune",
    `--depth=${depth ?? WHOLE_HISTORY}`,
    "--filter=tree:0",
    ...(place.allowLocal ? [LOCAL_UPLOAD_PACK] : []),
    REMOTE,
    `+refs/heads/*:${GRAPH_REFS.heads}*`,
    `+refs/tags/*:${GRAPH_REFS.tags}*`,
  ]);
}

/**
 * After each fetch: makes git forget that more objects can be fetched one by one. It would try that for whatever is
 * missing, and each of those fetches may start another one, without end.
 */
export function forgetPromisor(place: GitPlace, cwd: string): Command {
  return git(place, cwd, ["config", "--remove-section", `remote.${REMOTE}`]);
}

/** Prints the names of the branches and tags that were fetched. */
export function listGraphRefs(place: GitPlace, cwd: string): Command {
  return read(place, cwd, ["for-each-ref", "--format=%(refname)", GRAPH_REFS.heads, GRAPH_REFS.tags]);
}

/** Prints the commits that names stand for. Tags of tags are followed to the end; a tag of a file or tree is skipped. */
export function listCommits(place: GitPlace, cwd: string, names: readonly string[]): Command {
  return read(place, cwd, ["rev-list", "--no-walk=unsorted", ...names, "--"]);
}

/** Prints the hashes of all objects whose hash begins so. */
export function listObjects(place: GitPlace, cwd: string, prefix: string): Command {
  return read(place, cwd, ["rev-parse", `--disambiguate=${prefix}`]);
}

/**
 * Prints the commit itself if one of the tips contains it; else another commit, or none with exit code 1. Unlike
 * `rev-list --not`, it does not depend on the dates of commits, and it walks the history once for all tips.
 */
export function mergeBase(place: GitPlace, cwd: string, sha: string, tips: readonly string[]): Command {
  return read(place, cwd, ["merge-base", sha, ...tips]);
}

function read(place: GitPlace, cwd: string, args: readonly string[]): Command {
  return git({ ...place, remote: null, allowLocal: false }, cwd, args);
}
