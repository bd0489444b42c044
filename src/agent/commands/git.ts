import { readRemote } from "#agent/commands/git-login.ts";
import type { Command } from "#agent/process/command.ts";

/**
 * A bare repository on this server and the one it mirrors.
 * `remote` is `null` for commands that talk to nobody. `allowLocal`: the remote may be a path on this server.
 * `isConfined`: neither the remote nor what it holds may send git to another address.
 */
export type GitPlace = {
  readonly gitDir: string;
  readonly remote: string | null;
  readonly allowLocal: boolean;
  readonly isConfined: boolean;
  readonly env: Readonly<Record<string, string>>;
};

/** The ref that holds what was fetched last, so that the next fetch need not bring it again. */
export const TIP = "refs/gantry/tip";

/** The name that the remote goes by in the configuration, so that its URL is no argument of git's. */
export const REMOTE = "source";

/** Holds whatever a user's own configuration says; hooks and filters of a mirror are nobody's business. */
const fixedConfig: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.autocrlf", "false"],
  ["core.symlinks", "true"],
  ["core.fileMode", "true"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["core.fsmonitor", "false"],
  ["submodule.recurse", "false"],
  // What a server may offer to be fetched from elsewhere.
  ["transfer.bundleURI", "false"],
  ["log.showSignature", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["fetch.fsckObjects", "false"],
  // A pack is written whole or not at all; loose objects of a fetch that was cut off would look like a whole commit.
  ["fetch.unpackLimit", "1"],
  ["maintenance.auto", "false"],
  ["gc.auto", "0"],
];

/** A redirect leads where the server says, and Git LFS, where the owner has it, where the repository's own .lfsconfig says. */
const confinedConfig: typeof fixedConfig = [
  ["http.followRedirects", "false"],
  ["filter.lfs.smudge", ""],
  ["filter.lfs.process", ""],
  ["filter.lfs.required", "false"],
];

/** A git command with the settings that all of them have. The other functions are the commands that there are. */
export function git(place: GitPlace, cwd: string, args: readonly string[]): Command {
  const remote = place.remote === null ? null : readRemote(place.remote);
  const config = [
    ...fixedConfig,
    ...(place.isConfined ? confinedConfig : []),
    ...(remote === null ? [] : [[`remote.${REMOTE}.url`, remote.url] as const, ...remote.config]),
  ];
  const env: Record<string, string> = {
    ...place.env,
    ...remote?.env,
    // Those of the contract. Neither ext:: nor fd::, which run commands, nor one that is not encrypted, whatever a redirect
    // or a submodule says.
    GIT_ALLOW_PROTOCOL: place.allowLocal ? "file:https:ssh" : "https:ssh",
    GIT_CONFIG_COUNT: String(config.length),
  };
  for (const [index, [key, value]] of config.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return { argv: ["git", `--git-dir=${place.gitDir}`, ...args], cwd, env };
}

/** @param objectFormat what the remote's hashes are; a mirror cannot change it later */
export function initMirror(place: GitPlace, cwd: string, objectFormat: "sha1" | "sha256"): Command {
  return git(place, cwd, ["init", "--quiet", "--bare", `--object-format=${objectFormat}`]);
}

/** Exit code 2: the remote answered, and has none of these refs. Prints `<sha>\t<ref>` lines. */
export function listRefs(place: GitPlace, cwd: string, refs: readonly string[]): Command {
  return git(place, cwd, ["ls-remote", "--exit-code", REMOTE, ...refs]);
}

const fetchOptions = [
  "--quiet",
  "--no-tags",
  "--no-write-fetch-head",
  "--force",
  "--update-shallow",
] as const;

/** Brings one ref or one full commit hash into `TIP`. */
export function fetchTip(place: GitPlace, cwd: string, from: string, shallow: boolean): Command {
  const depth = shallow ? ["--depth=1"] : [];
  return git(place, cwd, ["fetch", ...fetchOptions, ...depth, REMOTE, `+${from}:${TIP}`]);
}

/** Brings every branch and tag with all of their history. `unshallow`: the mirror has cut histories to complete. */
export function fetchAll(place: GitPlace, cwd: string, unshallow: boolean): Command {
  return git(place, cwd, [
    "fetch",
    ...fetchOptions,
    "--prune",
    ...(unshallow ? ["--unshallow"] : []),
    REMOTE,
    "+refs/heads/*:refs/gantry/heads/*",
    "+refs/tags/*:refs/gantry/tags/*",
  ]);
}

/** Prints `<sha>\0<message>` of a commit in the mirror. Fails when there is none, or more than one of that short name. */
export function showCommit(place: GitPlace, cwd: string, name: string): Command {
  return git(place, cwd, ["log", "-1", "--no-color", "--format=%H%x00%B", `${name}^{commit}`, "--"]);
}

/** Writes a commit's files into an empty folder, with an index of its own beside it. */
export function exportTree(place: GitPlace, folder: string, sha: string, index: string): Command {
  const command = git(place, folder, [
    `--work-tree=${folder}`,
    "read-tree",
    "--reset",
    "-u",
    `${sha}^{commit}`,
  ]);
  return { ...command, env: { ...command.env, GIT_INDEX_FILE: index } };
}

/** Prints `<path>\0` of each file that the attributes in the tree give to Git LFS. @param index that of `exportTree` */
export function listLfsFiles(place: GitPlace, folder: string, index: string): Command {
  const command = git(place, folder, [`--work-tree=${folder}`, "ls-files", "-z", "--", ":(attr:filter=lfs)"]);
  // The only pathspec that is more than a path, and it is ours.
  return { ...command, env: { ...command.env, GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: "0" } };
}

/** Prints what the commit's `.lfsconfig` excludes. Exit code 1: nothing; another one: there is no such file. */
export function readLfsExcludes(place: GitPlace, cwd: string, sha: string): Command {
  return git(place, cwd, ["config", `--blob=${sha}:.lfsconfig`, "--get-all", "lfs.fetchexclude"]);
}

/** Prints `<key>\n<value>\0` of each path and url. Exit code 1: there are none. */
export function readSubmoduleConfig(place: GitPlace, cwd: string, sha: string): Command {
  return git(place, cwd, [
    "config",
    `--blob=${sha}:.gitmodules`,
    "--null",
    "--get-regexp",
    "^submodule\\..*\\.(path|url)$",
  ]);
}

/** Prints `<mode> <type> <sha>\t<path>\0` of those paths that the commit has. */
export function listTree(place: GitPlace, cwd: string, sha: string, paths: readonly string[]): Command {
  return git(place, cwd, ["ls-tree", "-z", "--full-tree", sha, "--", ...paths]);
}

/** Fails when something is missing of what the mirror's refs need, or it is no repository at all. */
export function checkMirror(place: GitPlace, cwd: string): Command {
  return git(place, cwd, ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"]);
}

/**
 * Makes one pack of many, of what refs lead to. The rest goes: nobody else works on a mirror, and kept for the usual two
 * weeks it would become a file for each object, which takes more room than the packs did.
 */
export function packMirror(place: GitPlace, cwd: string): Command {
  return git(place, cwd, ["gc", "--quiet", "--prune=now"]);
}
