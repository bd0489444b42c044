import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { actionFolder } from "../shared/build-action.ts";
import { Problem } from "../shared/problem.ts";
import { root } from "../shared/root.ts";
import { type CommandOutcome, runCommand } from "../shared/run-command.ts";

export async function trackedFiles(): Promise<string[]> {
  const { code, output } = await runCommand(["git", "ls-files", "-z"]);
  if (code !== 0) throw new Problem(`git ls-files failed:\n${output.trim()}`);
  return output.split("\0").filter((path) => path !== "");
}

/** Fails with the findings in these files, one a line. */
export async function searchFiles(
  paths: readonly string[],
  findingsIn: (path: string, text: string) => readonly string[],
): Promise<CommandOutcome> {
  const findings: string[] = [];
  for (const path of paths)
    findings.push(...findingsIn(path, await readFile(join(root, path), "utf8").catch(() => "")));
  return { code: findings.length === 0 ? 0 : 1, output: findings.join("\n") };
}

/** Whether a file contains text that people write and read. */
export function isText(path: string): boolean {
  const hasTextName = /\.(?:ts|tsx|mjs|js|md|css|sh|toml|yml|yaml|html)$|^\.ci\/run$/.test(path);
  return hasTextName && path !== "package-lock.json" && !path.startsWith(`${actionFolder}/`);
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
