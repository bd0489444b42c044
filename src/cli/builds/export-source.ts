import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";

import { configVariables, exportTree, fixedConfig } from "#build/commands/export-tree.ts";
import { readGitlinks } from "#build/commands/read-gitlinks.ts";
import { readSubmoduleEntries, SUBMODULE_KEYS } from "#build/commands/read-submodules.ts";
import { matchSubmodules, type Submodule } from "#build/tree/match-submodules.ts";
import type { LocalCommit } from "#cli/builds/find-source.ts";
import { gitEnvironment, readGit, runGit } from "#cli/builds/git.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";

type Repository = Pick<LocalCommit, "gitDir" | "sha"> & {
  /** Where it is checked out. */
  readonly top: string;
};

/**
 * Writes the files of a commit and of its submodules into a folder, as they are committed.
 * @param temp for files of git, beside the folder
 * @returns the submodules whose files are missing, because they are not checked out here
 */
export async function exportSource(
  context: CommandContext,
  repository: Repository,
  folder: string,
  temp: string,
): Promise<Result<readonly string[]>> {
  await mkdir(folder, { recursive: true });
  // A sparse checkout of the user's own must not leave files out.
  const config = [...fixedConfig, ["core.sparseCheckout", "false"]] as const;
  const env = { ...gitEnvironment(context), ...configVariables(config) };
  const { gitDir, sha, top } = repository;
  const index = join(temp, "index");
  const written = await runGit(context, exportTree({ gitDir, env }, folder, sha, index));
  await rm(index, { force: true });
  if (!written.ok) return stop("unreadable_file", written.message);

  const listed = await readGit(context, top, "ls-tree", "-r", "-z", "--full-tree", sha);
  if (!listed.ok) return stop("unreadable_file", listed.message);
  const gitlinks = readGitlinks(listed.value);
  const submodules = gitlinks.size === 0 ? succeed([]) : await listSubmodules(context, top, sha, gitlinks);
  if (!submodules.ok) return submodules;
  const missing: string[] = [];
  for (const { path, sha: commit } of submodules.value) {
    const submodule = await findSubmodule(context, join(top, path), commit);
    if (submodule === null) {
      missing.push(path);
      continue;
    }
    const inner = await exportSource(context, submodule, join(folder, path), temp);
    if (!inner.ok) return inner;
    missing.push(...inner.value.map((each) => `${path}/${each}`));
  }
  return succeed(missing);
}

/** The submodules whose files are written. One without an address is a problem: a server cannot fetch it. */
async function listSubmodules(
  context: CommandContext,
  top: string,
  sha: string,
  gitlinks: ReadonlyMap<string, string>,
): Promise<Result<readonly Submodule[]>> {
  const keys = ["--null", "--get-regexp", SUBMODULE_KEYS];
  const read = await readGit(context, top, "config", `--blob=${sha}:.gitmodules`, ...keys);
  const exists = read.ok || (await readGit(context, top, "cat-file", "-e", `${sha}:.gitmodules`)).ok;
  const matched = matchSubmodules(gitlinks, exists ? readSubmoduleEntries(read.ok ? read.value : "") : null);
  if (matched.ok) return succeed(matched.value.submodules);
  const { message, hint } = matched.problem;
  return stop("unreadable_file", `A deployment would fail: ${message}. ${hint ?? ""}`);
}

async function findSubmodule(context: CommandContext, top: string, sha: string): Promise<Repository | null> {
  const found = await readGit(context, top, "rev-parse", "--show-toplevel", "--absolute-git-dir");
  const [own = "", gitDir = ""] = found.ok ? found.value.split("\n") : [];
  // In a submodule that is not checked out, git finds the repository around it.
  if (own === "" || own !== (await realpath(top))) return null;
  const known = await readGit(context, top, "cat-file", "-e", `${sha}^{commit}`);
  return known.ok ? { top, gitDir, sha } : null;
}
