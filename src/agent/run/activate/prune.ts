import { messageOf } from "#contract/lib/message-of.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { removeGently } from "#agent/workspace/discard.ts";
import { listReleases, putReleaseAside } from "#agent/workspace/releases.ts";

/** The releases that go after a deployment: all but those to keep, the live one and the one before it. */
export function decidePrune(
  whole: readonly number[],
  keep: readonly number[],
  live: number,
  previous: number | null,
): readonly number[] {
  const kept = new Set([...keep, live, ...(previous === null ? [] : [previous])]);
  return whole.filter((version) => !kept.has(version));
}

/**
 * Puts the releases that go aside, so that they are releases no more.
 * @returns where they lie now; to remove them takes its time, and nobody has to wait for it
 */
export async function pruneReleases(
  scope: RunScope,
  live: number,
  previous: number | null,
): Promise<readonly string[]> {
  const { folder, order, log } = scope;
  const aside: string[] = [];
  try {
    const { whole } = await listReleases(folder);
    const gone = decidePrune(whole, order.keep_releases, live, previous);
    for (const version of gone) {
      const path = await putReleaseAside(folder, version);
      if (path !== null) aside.push(path);
    }
    if (gone.length > 0) log.system("prune", `removed the releases ${gone.join(", ")}`);
  } catch (error) {
    // The new release serves: that an old one could not be removed changes nothing about it.
    log.system("prune", `an old release could not be removed: ${messageOf(error)}`);
  }
  return aside;
}

/** Removes what was put aside. What cannot be removed is tried again at the agent's next start. Never throws. */
export async function removePruned({ context, order }: RunScope, aside: readonly string[]): Promise<void> {
  for (const path of aside)
    await removeGently(path).catch((error: unknown) =>
      context.log(`${order.project_name}: an old release could not be removed: ${messageOf(error)}`),
    );
}
