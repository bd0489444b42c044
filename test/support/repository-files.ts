import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Tests create a thousand repositories and commits. Each git process takes 5 ms of CPU time, and the fork of a large test
// process as much again, so what git's files show without git is read and written here. Source: gitrepository-layout(5).

const CONFIG = `[core]
repositoryformatversion = 0
filemode = true
bare = false
logallrefupdates = true
[maintenance]
auto = false
`;

/** The same as `git init --initial-branch=main`. A commit does not start git's maintenance. */
export function initRepository(path: string): void {
  for (const folder of ["objects", "refs/heads"]) mkdirSync(join(path, ".git", folder), { recursive: true });
  writeFileSync(join(path, ".git/config"), CONFIG);
  writeFileSync(join(path, ".git/HEAD"), "ref: refs/heads/main\n");
}

/** The same as `git rev-parse HEAD` right after a commit, which writes the ref to a file of its own. */
export function headCommit(path: string): string {
  const read = (name: string): string => readFileSync(join(path, ".git", name), "utf8").trim();
  const head = read("HEAD");
  return head.startsWith("ref: ") ? read(head.slice("ref: ".length)) : head;
}
