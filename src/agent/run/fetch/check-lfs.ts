import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

import { READ_FILE } from "#node/open-flags.ts";
import { listLfsFiles, readLfsExcludes } from "#agent/git/commands/git.ts";
import { isExcluded, readExcludes } from "#agent/run/fetch/lfs-excludes.ts";
import type { GitRunner } from "#agent/git/mirror/git-runner.ts";
import { checkGitFile, isWrongConfig } from "#agent/run/fetch/check-git-file.ts";
import { fileContains, indexFilesOfSize } from "#agent/run/fetch/index-gitlinks.ts";
import type { InMirror } from "#agent/git/mirror/mirror-steps.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { succeed } from "#contract/lib/result.ts";

/** The first line of a Git LFS pointer, which is shorter than 1024 bytes. Source: the specification of Git LFS. */
const POINTER = "version https://git-lfs.github.com/spec/v1\n";

/** The name of the files that assign files to Git LFS. The index has the paths of all files as they are. */
const ATTRIBUTES = ".gitattributes";

/** The sizes of pointers: with a hash of 64 digits, and a size of 1 to 12 digits. */
const POINTER_BYTES = [126, 137] as const;

const MOST_NAMED = 5;

/**
 * Fails when files that the repository keeps in Git LFS were written as pointers, which are a few lines of text each
 * and should not be published. Files that the repository's own `.lfsconfig` excludes may stay pointers. Without
 * `.gitattributes`, nothing says that a pointer is one, and the log warns that it is deployed as a text.
 * @param into the folder with the commit's files, written with this index
 * @param now monotonic milliseconds
 */
export async function checkLfs(
  git: GitRunner,
  commit: Pick<InMirror, "place" | "name">,
  into: string,
  { index, hashBytes }: { readonly index: string; readonly hashBytes: 20 | 32 },
  now: () => number,
): Promise<Step<null>> {
  const startedAt = now();
  // Checked first, because it saves a process for most repositories.
  const hasAttributes = await fileContains(index, ATTRIBUTES);
  const listed = hasAttributes ? await git.run(listLfsFiles(commit.place, into, index)) : null;
  if (listed !== null && !listed.ok) return listed;
  if (listed !== null && listed.value.code !== 0)
    return git.explain(listed.value, "listing the files in Git LFS failed");
  const candidates =
    listed === null
      ? await indexFilesOfSize(index, hashBytes, POINTER_BYTES)
      : listed.value.stdout.split("\0");
  const pointers: string[] = [];
  for (const path of candidates) {
    const ended = git.ended();
    if (ended !== null) return ended;
    if (path !== "" && (await isPointer(join(into, path)))) pointers.push(path);
  }
  if (pointers.length === 0) return succeed(null);

  const file = await checkGitFile(into, ".lfsconfig");
  if (!file.ok) return file;
  const config = await git.run(readLfsExcludes(commit.place, commit.name), "probe");
  if (!config.ok) return config;
  if (file.value && isWrongConfig(config.value))
    return git.explain(config.value, "reading .lfsconfig failed");
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
  if (!hasAttributes) {
    // It may be an example of a pointer.
    git.logStep(
      `warning: ${names} ${unfetched.length === 1 ? "is a pointer" : "are pointers"} of Git LFS, which is deployed as a text, because no .gitattributes says so: commit the one that \`git lfs track\` writes, or the file itself`,
      startedAt,
    );
    return succeed(null);
  }
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
