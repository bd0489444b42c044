import { createHash } from "node:crypto";

import { Problem } from "../shared/problem.ts";
import { runCommand } from "../shared/run-command.ts";

/** @returns the paths of all tracked files */
export async function trackedFiles(): Promise<string[]> {
  const { code, output } = await runCommand(["git", "ls-files", "-z"]);
  if (code !== 0) throw new Problem(`git ls-files failed:\n${output.trim()}`);
  return output.split("\0").filter((path) => path !== "");
}

/** Whether a file contains text that people write and read. */
export function isText(path: string): boolean {
  const hasTextName = /\.(?:ts|tsx|mjs|js|md|css|sh|toml|yml|yaml|html)$|^\.ci\/run$/.test(path);
  return hasTextName && path !== "package-lock.json";
}

/**
 * Selects files for a reader who judges how the code base reads.
 * @param seed the same seed selects the same files, as long as they exist
 */
export function sampleFiles(paths: readonly string[], seed: number, size = 30): string[] {
  const rank = (path: string) => createHash("sha256").update(`${seed} ${path}`).digest("hex");
  return paths
    .map((path) => ({ path, rank: rank(path) }))
    .toSorted((a, b) => a.rank.localeCompare(b.rank))
    .slice(0, size)
    .map(({ path }) => path)
    .toSorted();
}
