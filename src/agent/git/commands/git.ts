import { dirname } from "node:path";

import { readRemote } from "#agent/git/commands/git-login.ts";
import { configVariables, exportTree, fixedConfig } from "#build/commands/export-tree.ts";
import { SUBMODULE_KEYS } from "#build/commands/read-submodules.ts";
import type { Command } from "#build/process/command.ts";
import { localPath } from "#contract/addresses/repository-address.ts";

/**
 * A bare repository on this server, and the remote that it mirrors. `remote` is `null` for commands without network
 * access. `uploadPack`: the command that sends a remote on this server; `null`: the remote must not be on this server.
 * `isConfined`: neither the remote nor its content may lead git to another address.
 */
export type GitPlace = {
  readonly gitDir: string;
  readonly remote: string | null;
  readonly uploadPack: string | null;
  readonly isConfined: boolean;
  readonly env: Readonly<Record<string, string>>;
};

/** The ref that holds the last fetched commit, so that the next fetch does not transfer it again. */
export const TIP = "refs/gantry/tip";

/** The remote's name in the configuration, so that its URL is not an argument of git. */
export const REMOTE = "source";

/**
 * Settings for a confined mirror. A server could redirect git anywhere, and the repository's own .lfsconfig could
 * lead Git LFS anywhere.
 */
const confinedConfig: typeof fixedConfig = [
  ["http.followRedirects", "false"],
  ["filter.lfs.smudge", ""],
  ["filter.lfs.process", ""],
  ["filter.lfs.required", "false"],
];

/**
 * Settings for a remote on another host. The repository's own .lfsconfig could lead Git LFS to a repository on this
 * server, which the built-in transfer agent of this name reads as the agent's user.
 */
const remoteConfig: typeof fixedConfig = [["lfs.customtransfer.lfs-standalone-file.path", "false"]];

/**
 * No commit graphs: after a power cut one can be empty, and git prints an error at each fetch. In a mirror with 40,000
 * commits and 2,000 branches, one saves 15 ms of a fetch.
 */
const mirrorConfig: typeof fixedConfig = [
  ["core.commitGraph", "false"],
  ["fetch.writeCommitGraph", "false"],
  ["gc.writeCommitGraph", "false"],
];

/**
 * A git command with the settings that all commands share. The other functions build the specific commands. They start
 * in a folder that is the same for all projects, so that no path means another place to git than to the agent.
 */
export function git(place: GitPlace, args: readonly string[], cwd = "/"): Command {
  return { argv: ["git", `--git-dir=${place.gitDir}`, ...args], cwd, env: environmentFor(place) };
}

/**
 * git filters the names itself, after the remote has sent all refs of these two kinds. Without the options it sends the
 * others too: a repository with 50,000 pull requests on GitHub has as many `refs/pull/`, which are megabytes.
 */
const lsRemote = ["ls-remote", "--heads", "--tags", "--exit-code", REMOTE] as const;

/** As `listRefs`, outside of any repository. @param cwd an empty folder */
export function listRemote(place: Omit<GitPlace, "gitDir">, cwd: string, refs: readonly string[]): Command {
  return outside(place, cwd, [...lsRemote, ...refs]);
}

/**
 * Lists all branches and tags, and which branch HEAD names. The remote sends its other refs too, because it sends HEAD
 * only then. So call this only after a failure.
 */
const lsBranches = ["ls-remote", "--symref", REMOTE, "HEAD", "refs/heads/*", "refs/tags/*"] as const;

/** As `listBranches`, outside of any repository. @param cwd an empty folder */
export function listRemoteBranches(place: Omit<GitPlace, "gitDir">, cwd: string): Command {
  return outside(place, cwd, lsBranches);
}

/** Prints `ref: refs/heads/<branch>\tHEAD`, unless HEAD names no branch, and then as `listRefs`. */
export function listBranches(place: GitPlace): Command {
  return git(place, lsBranches);
}

function outside(place: Omit<GitPlace, "gitDir">, cwd: string, args: readonly string[]): Command {
  const env = { ...environmentFor(place), GIT_CEILING_DIRECTORIES: dirname(cwd) };
  return { argv: ["git", ...args], cwd, env };
}

function environmentFor(place: Omit<GitPlace, "gitDir">): Readonly<Record<string, string>> {
  const remote = place.remote === null ? null : readRemote(place.remote);
  const config = [
    ...fixedConfig,
    ...mirrorConfig,
    ...(place.isConfined ? confinedConfig : []),
    ...(remote === null
      ? []
      : [[`remote.${REMOTE}.url`, fileAddress(remote.url)] as const, ...remote.config]),
    ...(place.uploadPack === null
      ? remoteConfig
      : [[`remote.${REMOTE}.uploadpack`, place.uploadPack] as const]),
  ];
  return {
    ...place.env,
    // The protocols of the contract: not ext:: and fd::, which run commands, and no unencrypted ones, whatever a
    // redirect or a submodule says.
    GIT_ALLOW_PROTOCOL: place.uploadPack === null ? "https:ssh" : "file:https:ssh",
    ...configVariables(config),
  };
}

/** A path as an address. git itself would open the file at a path if it is a bundle. */
function fileAddress(url: string): string {
  const path = localPath(url);
  return path === null ? url : `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * Without the samples of hooks, which take more files than an empty mirror.
 * @param objectFormat the remote's hash format; a mirror cannot change it later
 */
export function initMirror(place: GitPlace, objectFormat: "sha1" | "sha256"): Command {
  return git(place, ["init", "--quiet", "--bare", "--template=", `--object-format=${objectFormat}`]);
}

/**
 * Exit code 2: the remote answered, and has none of these refs. Prints `<sha>\t<ref>` lines.
 * @param refs names of branches and tags; none: all of them
 */
export function listRefs(place: GitPlace, refs: readonly string[]): Command {
  return git(place, [...lsRemote, ...refs]);
}

/** The refs under which the remote's branches and tags are fetched. */
export const FETCHED_REFS = { heads: "refs/gantry/heads/", tags: "refs/gantry/tags/" } as const;
export const everyRef = [
  `+refs/heads/*:${FETCHED_REFS.heads}*`,
  `+refs/tags/*:${FETCHED_REFS.tags}*`,
] as const;

export const fetchOptions = [
  "--quiet",
  "--no-tags",
  "--no-write-fetch-head",
  "--force",
  "--update-shallow",
] as const;

/** Fetches one ref or one full commit hash into `TIP`. */
export function fetchTip(place: GitPlace, from: string, shallow: boolean): Command {
  const depth = shallow ? ["--depth=1"] : [];
  return git(place, ["fetch", ...fetchOptions, ...depth, REMOTE, `+${from}:${TIP}`]);
}

/** Fetches every branch and tag with its history. `unshallow`: the mirror has shortened histories to complete. */
export function fetchAll(place: GitPlace, unshallow: boolean): Command {
  return git(place, [
    "fetch",
    ...fetchOptions,
    "--prune",
    ...(unshallow ? ["--unshallow"] : []),
    REMOTE,
    ...everyRef,
  ]);
}

/** Prints `<sha>\0<message>` of a commit in the mirror. Fails when there is none, or more than one of that short name. */
export function showCommit(place: GitPlace, name: string): Command {
  return git(place, ["log", "-1", "--no-color", "--format=%H%x00%T%x00%B", `${name}^{commit}`, "--"]);
}

/** Writes a commit's files into an empty folder, with a separate index. */
export function exportCommit(place: GitPlace, folder: string, sha: string, index: string): Command {
  return exportTree({ gitDir: place.gitDir, env: environmentFor(place) }, folder, sha, index);
}

/**
 * Prints `<path>\0` of each file that the attributes in the tree assign to Git LFS. @param index the index of
 * `exportCommit`
 */
export function listLfsFiles(place: GitPlace, folder: string, index: string): Command {
  const command = git(place, [`--work-tree=${folder}`, "ls-files", "-z", "--", ":(attr:filter=lfs)"], folder);
  // The only pathspec with magic, and it is a constant.
  return { ...command, env: { ...command.env, GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: "0" } };
}

/** Prints the exclusions in the commit's `.lfsconfig`. Exit code 1: none; another code: no such file. */
export function readLfsExcludes(place: GitPlace, sha: string): Command {
  return git(place, ["config", `--blob=${sha}:.lfsconfig`, "--get-all", "lfs.fetchexclude"]);
}

/** Prints `<key>\n<value>\0` of each path, url and way to update. Exit code 1: none. */
export function readSubmoduleConfig(place: GitPlace, sha: string): Command {
  return git(place, ["config", `--blob=${sha}:.gitmodules`, "--null", "--get-regexp", SUBMODULE_KEYS]);
}

/** Prints `<path>\0` of each file that differs between two commits. Fails if the mirror does not have both. */
export function listChanges(place: GitPlace, before: string, after: string): Command {
  return git(place, ["diff", "--name-only", "--no-renames", "-z", before, after, "--"]);
}

/** Fails when objects that the mirror's refs need are missing, or it is not a repository. */
export function checkMirror(place: GitPlace): Command {
  return git(place, ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"]);
}

/**
 * Repacks everything that refs lead to into one pack, and deletes the rest at once. Only one process uses a mirror.
 * Kept for git's usual two weeks, the rest would become a file for each object, which takes more space than the packs
 * did.
 */
export function packMirror(place: GitPlace): Command {
  return git(place, ["gc", "--quiet", "--prune=now"]);
}
