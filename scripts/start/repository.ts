import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { createMask } from "#contract/mask.ts";
import { maskUrlSecret } from "#contract/git-names.ts";

import { Problem } from "../shared/problem.ts";
import { root } from "../shared/root.ts";
import { type CommandOutcome, runCommand } from "../shared/run-command.ts";
import { callersFolder } from "../shared/script.ts";

/** Keeps git and ssh from prompting for a password: the prompt would not be visible. */
const LS_REMOTE_ENV = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes -oConnectTimeout=10",
};
const LS_REMOTE_TIMEOUT_MS = 30_000;

/**
 * Creates the example's repository in the home at the first start. After that it belongs to the user.
 * @returns its folder
 */
export async function prepareHelloSite(home: string): Promise<string> {
  const folder = join(home, "hello-site");
  if (existsSync(join(folder, ".git"))) return folder;
  // Created under another name, so that an interrupted start leaves no partial repository.
  const draft = `${folder}.tmp`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await cp(join(root, "examples", "hello-site"), draft, { recursive: true });
  await git(draft, "init", "--quiet");
  // `init -b` needs git 2.28.
  await git(draft, "symbolic-ref", "HEAD", "refs/heads/main");
  await git(draft, "add", "--all");
  await git(
    draft,
    ...["-c", "user.name=Gantry", "-c", "user.email=gantry@localhost", "-c", "commit.gpgSign=false"],
    ...["commit", "--quiet", "--no-verify", "-m", "Add the example site"],
  );
  // Without an author, the user's first commit would fail.
  if ((await runGit(draft, "config", "--get", "user.email")).code !== 0) {
    await git(draft, "config", "user.name", "Gantry");
    await git(draft, "config", "user.email", "gantry@localhost");
  }
  await rename(draft, folder);
  return folder;
}

/** The form of a repository that the API accepts: a URL stays as it is, a path is made absolute. */
export function repositoryOf(given: string): string {
  const isRemote = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given);
  if (isRemote) return given;
  const path = resolve(callersFolder, given);
  if (!existsSync(path))
    throw new Problem(`--repo ${given}: there is no ${path}. Pass a folder with a git repository, or a URL.`);
  // The API accepts no spaces in a path, but encoded spaces in a URL.
  return /\s/.test(path) ? pathToFileURL(path).href : path;
}

/** @returns the default branch of the repository */
export async function defaultBranch(repository: string): Promise<string> {
  const { code, output } = await runCommand(["git", "ls-remote", "--symref", "--", repository, "HEAD"], {
    env: LS_REMOTE_ENV,
    signal: AbortSignal.timeout(LS_REMOTE_TIMEOUT_MS),
  });
  const shown = maskUrlSecret(repository);
  if (code !== 0) {
    const message = createMask(repository)(output.trim().replaceAll(repository, shown));
    throw new Problem(
      `git cannot read the repository ${shown}:\n${message}\nCheck --repo, and that this user may read the repository.`,
    );
  }
  const branch = /^ref: refs\/heads\/(\S+)\s+HEAD$/m.exec(output)?.[1];
  if (branch === undefined)
    throw new Problem(`The repository ${shown} has no default branch. Name one with --branch.`);
  return branch;
}

function runGit(folder: string, ...args: string[]): Promise<CommandOutcome> {
  return runCommand(["git", ...args], { cwd: folder });
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const { code, output } = await runGit(folder, ...args);
  if (code !== 0) throw new Problem(`git ${args.join(" ")} failed in ${folder}:\n${output.trim()}`);
}
