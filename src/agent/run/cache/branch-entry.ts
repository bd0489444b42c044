import { type CacheEntry, findEntry } from "#agent/cache/cache-index.ts";
import type { RunOrder } from "#contract/agent-order.ts";

/**
 * The key of an entry of a branch. Each branch has entries of its own, because a pull request must not be able to change
 * what the project's branch gets.
 * @param facts what decides which files the entry has
 */
export function branchKey(branch: string, facts: readonly string[]): string {
  return JSON.stringify([branch, ...facts]);
}

/** Finds the entry of the run's branch, or else the entry of the project's branch, which a new branch starts with. */
export function findBranchEntry(
  { source, cache }: Pick<RunOrder, "source" | "cache">,
  entries: readonly CacheEntry[],
  kind: CacheEntry["kind"],
  facts: readonly string[],
): CacheEntry | null {
  const find = (branch: string) => findEntry(entries, kind, branchKey(branch, facts));
  return find(source.branch) ?? find(cache.default_branch);
}
