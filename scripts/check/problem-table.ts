import { readFile } from "node:fs/promises";

import type { CommandOutcome } from "../shared/run-command.ts";
import { readmePath, withProblemTable } from "../reference/problem-table.ts";

/** Whether the README's table is the one that the contract's makes. */
export async function checkProblemTable(): Promise<CommandOutcome> {
  const readme = await readFile(readmePath, "utf8");
  if (withProblemTable(readme) === readme) return { code: 0, output: "" };
  return { code: 1, output: "The README's table of problems is not that of src/contract/problems.ts." };
}
