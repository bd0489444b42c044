import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { headCommit, initRepository } from "./repository-files.ts";

const run = promisify(execFile);

/** A git repository that a test commits to. */
export type Repository = {
  readonly path: string;
  /** Writes files (`null` removes one) and commits them. @returns the full commit hash */
  readonly commit: (files: Record<string, string | null>) => Promise<string>;
  readonly git: (...args: string[]) => Promise<string>;
};

export async function createRepository(path: string): Promise<Repository> {
  await mkdir(path, { recursive: true });
  const git = async (...args: string[]): Promise<string> => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const { stdout } = await run("git", [...identity, "-c", "commit.gpgSign=false", ...args], { cwd: path });
    return stdout.trim();
  };
  initRepository(path);
  return {
    path,
    git,
    async commit(files) {
      for (const [name, content] of Object.entries(files)) {
        const file = join(path, name);
        if (content === null) {
          await rm(file);
          continue;
        }
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content);
      }
      await git("add", "--all");
      await git("commit", "--quiet", "--allow-empty", "-m", `Change ${Object.keys(files).join(", ")}`);
      return headCommit(path);
    },
  };
}
