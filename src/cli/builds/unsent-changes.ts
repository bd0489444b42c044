import { readGit } from "#cli/builds/git.ts";
import type { CommandContext } from "#cli/context.ts";
import { counted } from "#contract/lib/counted.ts";

/**
 * What of the repository in the current folder a server cannot fetch yet.
 * @param branch the branch that is deployed; null: not named
 * @returns a sentence; null if there is nothing, if another branch is checked out, or if git cannot tell
 */
export async function readUnsentChanges(
  context: CommandContext,
  branch: string | null,
): Promise<string | null> {
  const read = await readGit(
    context,
    context.folder,
    ...["status", "--porcelain=v2", "--branch", "--untracked-files=no"],
  );
  return read.ok ? unsentText(read.value, branch) : null;
}

/** @param status of `git status --porcelain=v2 --branch` */
export function unsentText(status: string, branch: string | null): string | null {
  const lines = status.split("\n").filter((line) => line !== "");
  const head = /^# branch\.head (.+)$/m.exec(status)?.[1] ?? "HEAD";
  if (branch !== null && branch !== head) return null;
  const changes = lines.filter((line) => !line.startsWith("# ")).length;
  const ahead = Number(/^# branch\.ab \+(\d+)/m.exec(status)?.[1] ?? 0);
  const parts = [
    ...(changes === 0 ? [] : [`changes of ${counted(changes, "file")} are not committed`]),
    ...(ahead === 0
      ? []
      : [`${counted(ahead, "commit")} of ${head} ${ahead === 1 ? "is" : "are"} not pushed`]),
  ];
  return parts.length === 0 ? null : `Not deployed: ${parts.join(", and ")}.`;
}
