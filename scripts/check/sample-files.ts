import { createHash } from "node:crypto";

const SAMPLE_SIZE = 30;

/**
 * Selects files for a reader who judges how the code base reads.
 * @param seed the same seed selects the same files, as long as they exist
 */
export function sampleFiles(paths: readonly string[], seed: number, size = SAMPLE_SIZE): string[] {
  const rank = (path: string) => createHash("sha256").update(`${seed} ${path}`).digest("hex");
  return paths
    .map((path) => ({ path, rank: rank(path) }))
    .toSorted((a, b) => a.rank.localeCompare(b.rank))
    .slice(0, size)
    .map(({ path }) => path)
    .toSorted();
}
