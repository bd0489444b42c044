import { readNotes } from "#agent/apps/instance-notes.ts";
import { readUnfinished } from "#agent/jobs/command-notes.ts";
import { readUnfinishedRuns } from "#agent/jobs/cron/run-notes.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { ownRelease, removeOwned } from "#agent/workspace/remove-owned.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { listReleases, putReleaseAside } from "#agent/workspace/releases.ts";

/** Chooses the releases to remove after a deployment: all except those to keep, the live one and the one before it. */
export function decidePrune(
  complete: readonly number[],
  keep: readonly number[],
  live: number,
  previous: number | null,
): readonly number[] {
  const kept = new Set([...keep, live, ...(previous === null ? [] : [previous])]);
  return complete.filter((version) => !kept.has(version));
}

/**
 * Moves the pruned releases out of the releases folder.
 * @returns their new paths; deleting them takes time and nothing waits for it
 */
export async function pruneReleases(
  scope: RunScope,
  live: number,
  previous: number | null,
): Promise<readonly string[]> {
  const { folder, order, log, context } = scope;
  const aside: string[] = [];
  try {
    const { complete } = await listReleases(folder);
    // An instance that drains still reads its release's files, and so do one-off commands and runs of cron jobs.
    const running = readUnfinishedRuns(folder).map(({ run }) => run.release ?? live);
    const used = [...readNotes(folder), ...readUnfinished(folder)].map(({ release }) => release);
    const gone = decidePrune(complete, [...order.keep_releases, ...used, ...running], live, previous);
    for (const version of gone) {
      await ownRelease(context, folder, version);
      const path = await putReleaseAside(folder, version);
      if (path !== null) aside.push(path);
    }
    if (gone.length > 0)
      log.system("prune", `removed the ${gone.length === 1 ? "release" : "releases"} ${gone.join(", ")}`);
  } catch (error) {
    // The new release is live. Failing to remove an old one does not change that.
    log.system("prune", `an old release could not be removed: ${messageOf(error)}`);
  }
  return aside;
}

/** Deletes the pruned releases. Failed deletions are repeated at the agent's next start. Never throws. */
export async function removePruned(
  { context, folder, order }: RunScope,
  aside: readonly string[],
): Promise<void> {
  for (const path of aside)
    await removeOwned(context, folder, () => removeTree(path)).catch((error: unknown) =>
      context.log(`${order.project_name}: an old release could not be removed: ${messageOf(error)}`),
    );
}
