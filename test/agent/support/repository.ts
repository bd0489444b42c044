import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { headCommit, initRepository } from "../../support/repository-files.ts";

/** A text, an executable, or a symbolic link; `null` removes the file. */
export type TestFile = string | { readonly script: string } | { readonly link: string } | null;

/** A real git repository with a work tree, made for one test. */
export type TestRepository = {
  readonly path: string;
  /** Writes files and commits them. @returns the full commit hash */
  commit(files: Readonly<Record<string, TestFile>>, message?: string): string;
  git(...args: string[]): string;
};

/** @param options more options of `git init` */
export function createRepository(path: string, options: readonly string[] = []): TestRepository {
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        HOME: path,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "Ada",
        GIT_AUTHOR_EMAIL: "ada@example.com",
        GIT_COMMITTER_NAME: "Ada",
        GIT_COMMITTER_EMAIL: "ada@example.com",
        GIT_ALLOW_PROTOCOL: "file",
      },
    }).trim();
  if (options.length === 0) initRepository(path);
  else git("init", "--quiet", "--initial-branch=main", ...options);
  return {
    path,
    git,
    commit(files, message = "a change") {
      for (const [name, file] of Object.entries(files)) writeTestFile(join(path, name), file);
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", `--message=${message}`);
      return headCommit(path);
    },
  };
}

function writeTestFile(path: string, file: TestFile): void {
  rmSync(path, { force: true, recursive: true });
  if (file === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if (typeof file === "string") return writeFileSync(path, file);
  if ("link" in file) return symlinkSync(file.link, path);
  writeFileSync(path, file.script);
  chmodSync(path, 0o755);
}
