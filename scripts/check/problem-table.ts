import { readFile } from "node:fs/promises";

import type { CommandOutcome } from "../shared/run-command.ts";
import { apiPagePath, withProblemTable } from "../reference/problem-table.ts";

/** Checks that the table of problems in docs/api.md matches the contract. */
export async function checkProblemTable(): Promise<CommandOutcome> {
  const page = await readFile(apiPagePath, "utf8");
  if (withProblemTable(page) === page) return { code: 0, output: "" };
  return { code: 1, output: "The table of problems in docs/api.md does not match src/contract/problems.ts." };
}
