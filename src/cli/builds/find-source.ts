import { realpath, stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";

import { readGit } from "#cli/builds/git.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";

/** A commit of a repository on this machine. */
export type LocalCommit = {
  readonly gitDir: string;
  readonly sha: string;
  readonly message: string;
  /** `HEAD` if no branch is checked out. */
  readonly branch: string;
};

/** What to build. */
export type Source = {
  /** The folder of the repository, or the named folder if it is in none. */
  readonly top: string;
  /** The named folder, relative to `top`. */
  readonly root: string;
  /** The last commit, if there is one. */
  readonly commit: LocalCommit | null;
  /** Whether the working files are used, instead of the files of the commit. */
  readonly isInPlace: boolean;
  /** The addresses that the repository is fetched from and pushed to. */
  readonly remotes: readonly string[];
  /** How many files have changes that are not committed. */
  readonly changes: number;
};

/** Finds the repository of a folder, and its last commit. @param isInPlace whether the files are used as they are */
export async function findSource(
  context: CommandContext,
  named: string | null,
  isInPlace: boolean,
): Promise<Result<Source>> {
  const folder = resolve(context.folder, named ?? ".");
  if ((await stat(folder).catch(() => null))?.isDirectory() !== true)
    return stop("usage", `${folder} is not a folder.`);
  const place = await realpath(folder);
  const found = await readGit(context, place, "rev-parse", "--show-toplevel", "--absolute-git-dir");
  if (!found.ok) {
    if (isInPlace)
      return succeed({ top: place, root: ".", commit: null, isInPlace, remotes: [], changes: 0 });
    const isOutside = found.message.includes("not a git repository");
    const why = isOutside ? `${folder} is not in a git repository.` : found.message;
    return stop("usage", `${why} Pass --here to use the files as they are.`);
  }
  const [top = place, gitDir = ""] = found.value.split("\n");
  const root =
    relative(await realpath(top), place)
      .split(sep)
      .join("/") || ".";
  const commit = await lastCommit(context, top, gitDir);
  if (commit === null && !isInPlace)
    return stop(
      "usage",
      `${top} has no commit yet. Commit the files, or pass --here to use them as they are.`,
    );
  const status = isInPlace ? null : await readGit(context, place, "status", "--porcelain", "--", ".");
  const changes = status?.ok === true ? linesOf(status.value).length : 0;
  return succeed({ top, root, commit, isInPlace, remotes: await remotesOf(context, top), changes });
}

async function lastCommit(context: CommandContext, top: string, gitDir: string): Promise<LocalCommit | null> {
  const shown = await readGit(context, top, "log", "-1", "--no-show-signature", "--format=%H%x00%B");
  if (!shown.ok) return null;
  const [sha = "", message = ""] = shown.value.split("\0");
  const branch = await readGit(context, top, "symbolic-ref", "--quiet", "--short", "HEAD");
  return { gitDir, sha, message: message.trim(), branch: branch.ok ? branch.value.trim() : "HEAD" };
}

async function remotesOf(context: CommandContext, top: string): Promise<readonly string[]> {
  const read = await readGit(context, top, "config", "--get-regexp", "^remote\\..*\\.(url|pushurl)$");
  return read.ok ? linesOf(read.value).map((line) => line.slice(line.indexOf(" ") + 1)) : [];
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
