import type { RunScope } from "#agent/run/run-scope.ts";
import { listReleases, removeRelease } from "#agent/workspace/releases.ts";

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

/** @returns the versions that were removed */
export async function pruneReleases(
  scope: RunScope,
  live: number,
  previous: number | null,
): Promise<readonly number[]> {
  const { whole } = await listReleases(scope.folder);
  const gone = decidePrune(whole, scope.order.keep_releases, live, previous);
  for (const version of gone) await removeRelease(scope.folder, version);
  if (gone.length > 0) scope.log.system("prune", `removed the releases ${gone.join(", ")}`);
  return gone;
}
