import { git, type GitPlace, REMOTE } from "#agent/commands/git.ts";
import type { Command } from "#agent/process/command.ts";

/** The refs under which the remote's branches and tags are fetched. */
export const GRAPH_REFS = { heads: "refs/gantry/heads/", tags: "refs/gantry/tags/" } as const;

/** The depth that git itself uses for `--unshallow`. */
const WHOLE_HISTORY = 2_147_483_647;

/**
 * A local remote sends a filtered history only if its own configuration allows it. git clears the environment of the
 * process that it starts there, so the option is part of the command.
 */
const LOCAL_UPLOAD_PACK = "--upload-pack=git -c uploadpack.allowFilter=true upload-pack";

/** Exit code 2: the remote has neither branches nor tags. Prints `<sha>\t<ref>` lines. */
export function listBranchesAndTags(place: GitPlace, cwd: string): Command {
  return git(place, cwd, ["ls-remote", "--exit-code", "--heads", "--tags", REMOTE]);
}

/**
 * Fetches the commits of all branches and tags, without trees and files. A remote that does not support this sends
 * them too. git fetches a tree that a tag names directly afterwards, because it must exist.
 * Always with a depth: without one, git loops on a remote that is itself shallow, because it takes the missing
 * parents for objects that it filtered out, and starts another fetch for them.
 * @param depth how many commits of each history; `null` for all
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
 * Removes the remote's promisor configuration after each fetch. Otherwise git would fetch every missing object one by
 * one, and each of those fetches may start another one, endlessly.
 */
export function removePromisor(place: GitPlace, cwd: string): Command {
  return git(place, cwd, ["config", "--remove-section", `remote.${REMOTE}`]);
}

/** Prints the names of the fetched branches and tags. */
export function listGraphRefs(place: GitPlace, cwd: string): Command {
  return read(place, cwd, ["for-each-ref", "--format=%(refname)", GRAPH_REFS.heads, GRAPH_REFS.tags]);
}

/** Prints the commits that names point to. Tags of tags are followed to the end; a tag of a file or tree is skipped. */
export function listCommits(place: GitPlace, cwd: string, names: readonly string[]): Command {
  return read(place, cwd, ["rev-list", "--no-walk=unsorted", ...names, "--"]);
}

/** Prints the hashes of all objects that start with the prefix. */
export function listObjects(place: GitPlace, cwd: string, prefix: string): Command {
  return read(place, cwd, ["rev-parse", `--disambiguate=${prefix}`]);
}

/**
 * Prints the commit itself if one of the tips contains it; otherwise another commit, or nothing with exit code 1.
 * Unlike `rev-list --not`, it does not depend on commit dates, and it walks the history once for all tips.
 */
export function mergeBase(place: GitPlace, cwd: string, sha: string, tips: readonly string[]): Command {
  return read(place, cwd, ["merge-base", sha, ...tips]);
}

function read(place: GitPlace, cwd: string, args: readonly string[]): Command {
  return git({ ...place, remote: null, allowLocal: false }, cwd, args);
}
