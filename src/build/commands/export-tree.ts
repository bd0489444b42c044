import type { Command } from "#build/process/command.ts";

type Config = readonly (readonly [key: string, value: string])[];

/** Settings that override the user's configuration. */
export const fixedConfig: Config = [
  ["core.hooksPath", "/dev/null"],
  ["core.autocrlf", "false"],
  ["core.symlinks", "true"],
  ["core.fileMode", "true"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["core.fsmonitor", "false"],
  // An index in one file, which contains full paths.
  ["core.splitIndex", "false"],
  ["index.version", "2"],
  ["submodule.recurse", "false"],
  // Servers may offer bundles from other addresses.
  ["transfer.bundleURI", "false"],
  ["log.showSignature", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["fetch.fsckObjects", "false"],
  // A pack is written atomically; loose objects of an interrupted fetch would look like a complete commit.
  ["fetch.unpackLimit", "1"],
  // A flush takes milliseconds, and git makes three for each pack. What a power cut damages is fetched again.
  ["core.fsync", "none"],
  ["maintenance.auto", "false"],
  ["gc.auto", "0"],
];

/** The environment variables that give git these settings. */
export function configVariables(config: Config): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) };
  for (const [index, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

/** Writes a commit's files into an empty folder, with a separate index. */
export function exportTree(
  repository: { readonly gitDir: string; readonly env: Readonly<Record<string, string>> },
  folder: string,
  sha: string,
  index: string,
): Command {
  const { gitDir, env } = repository;
  const tree = ["read-tree", "--reset", "-u", `${sha}^{commit}`];
  return {
    argv: ["git", `--git-dir=${gitDir}`, `--work-tree=${folder}`, ...tree],
    cwd: folder,
    env: { ...env, GIT_INDEX_FILE: index },
  };
}
