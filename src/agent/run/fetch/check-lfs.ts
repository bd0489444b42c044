import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

import { READ_FILE } from "#node/open-flags.ts";
import { listLfsFiles, readLfsExcludes } from "#agent/commands/git.ts";
import { isExcluded, readExcludes } from "#agent/commands/lfs-excludes.ts";
import type { GitRunner } from "#agent/run/fetch/git-runner.ts";
import type { InMirror } from "#agent/run/fetch/mirror-steps.ts";
import { fileContains } from "#agent/lib/file-contains.ts";
import { fail, type Step } from "#agent/run/step/step.ts";
import { succeed } from "#contract/lib/result.ts";

/** The first line of a Git LFS pointer, which is shorter than 1024 bytes. Source: the specification of Git LFS. */
const POINTER = "version https://git-lfs.github.com/spec/v1\n";

/** The name of the files that assign files to Git LFS. The index has the paths of all files as they are. */
const ATTRIBUTES = ".gitattributes";

const MOST_NAMED = 5;

/**
 * Fails when files that the repository keeps in Git LFS were written as pointers, which are a few lines of text each
 * and should not be published. Files that the repository's own `.lfsconfig` excludes may stay pointers.
 * @param into the folder with the commit's files, written with this index
 * @param now monotonic milliseconds
 */
export async function checkLfs(
  git: GitRunner,
  commit: Pick<InMirror, "place" | "name">,
  into: string,
  index: string,
  now: () => number,
): Promise<Step<null>> {
  // Checked first, because it saves a process for most repositories.
  if (!(await fileContains(index, ATTRIBUTES))) return succeed(null);
  const startedAt = now();
  const listed = await git.run(listLfsFiles(commit.place, into, index));
  if (!listed.ok) return listed;
  if (listed.value.code !== 0) return git.explain(listed.value, "listing the files in Git LFS failed");
  const pointers: string[] = [];
  for (const path of listed.value.stdout.split("\0")) {
    const ended = git.ended();
    if (ended !== null) return ended;
    if (path !== "" && (await isPointer(join(into, path)))) pointers.push(path);
  }
  if (pointers.length === 0) return succeed(null);

  const config = await git.run(readLfsExcludes(commit.place, commit.name), "probe");
  if (!config.ok) return config;
  const excludes = readExcludes(config.value.code === 0 ? config.value.stdout : "");
  const unfetched: string[] = [];
  for (const path of pointers) {
    const ended = git.ended();
    if (ended !== null) return ended;
    if (!isExcluded(path, excludes)) unfetched.push(path);
    await nextTurn();
  }
  if (unfetched.length < pointers.length)
    git.logStep(`Git LFS files that .lfsconfig excludes: ${pointers.length - unfetched.length}`, startedAt);
  if (unfetched.length === 0) return succeed(null);
  const more = unfetched.length > MOST_NAMED ? `, and ${unfetched.length - MOST_NAMED} more` : "";
  const names = `${unfetched.slice(0, MOST_NAMED).join(", ")}${more}`;
  return commit.place.isConfined
    ? fail(
        "refused_by_policy",
        "fetch",
        `this server's policy (repositories) does not allow Git LFS, because the repository decides where LFS fetches from; the repository keeps ${names} in LFS`,
      )
    : fail(
        "fetch_failed",
        "fetch",
        `the repository keeps ${names} in Git LFS, and they were not fetched. Install Git LFS on the server: \`apt-get install git-lfs\`, then \`git lfs install --system\``,
      );
}

async function isPointer(path: string): Promise<boolean> {
  try {
    const file = await open(path, READ_FILE);
    try {
      if (!(await file.stat()).isFile()) return false;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(POINTER.length), 0, POINTER.length, 0);
      return buffer.toString("latin1", 0, bytesRead) === POINTER;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
