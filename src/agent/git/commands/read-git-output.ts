/** One line of `git ls-remote`. */
export type RemoteRef = { readonly sha: string; readonly ref: string };

/** Parses the output of `git ls-remote`. Other lines are skipped. */
export function readRefs(output: string): readonly RemoteRef[] {
  return output.split("\n").flatMap((line) => {
    const match = /^([0-9a-f]{40}|[0-9a-f]{64})\t(.+)$/.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ sha: match[1], ref: match[2] }];
  });
}

/**
 * Resolves a name to a ref: the branch if it exists, otherwise the tag. `sha` is the commit, also for an annotated
 * tag.
 */
export function chooseRef(refs: readonly RemoteRef[], name: string): RemoteRef | null {
  const shaOf = (ref: string) => refs.find((each) => each.ref === ref)?.sha;
  const branch = `refs/heads/${name}`;
  const branchSha = shaOf(branch);
  if (branchSha !== undefined) return { ref: branch, sha: branchSha };
  const tag = `refs/tags/${name}`;
  const tagSha = shaOf(`${tag}^{}`) ?? shaOf(tag);
  return tagSha === undefined ? null : { ref: tag, sha: tagSha };
}

/** Whether a fetch of one ref failed because the remote has no such ref. */
export function isRefMissing(stderr: string): boolean {
  return /^fatal: couldn't find remote ref /im.test(stderr);
}

export type CommitShown = { readonly sha: string; readonly tree: string; readonly message: string };

/** Parses the output of `showCommit`: the hashes of the commit and of its files, and the message. `null` for any other output. */
export function readCommit(output: string): CommitShown | null {
  const [, sha, tree, message = ""] =
    /^([0-9a-f]{40}|[0-9a-f]{64})\0([0-9a-f]{40,64})\0([^]*)$/.exec(output) ?? [];
  return sha === undefined || tree === undefined ? null : { sha, tree, message: message.trim() };
}

/**
 * Picks the most specific line of git's error output. git summarizes errors of ssh and the remote in a line of its
 * own and ends with advice, so the lines before that summary are used. Empty when there is none.
 */
export function errorLine(stderr: string): string {
  // ssh ends some of its lines with a carriage return.
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== "");
  const summary = lines.findIndex((line) => line.startsWith("fatal: Could not read from remote repository"));
  const causes = summary > 0 ? lines.slice(0, summary) : lines;
  return causes.findLast((line) => line.startsWith("fatal: ")) ?? causes.at(-1) ?? "";
}
