import { readFile } from "node:fs/promises";

import { processesPagePath, withProcessTables } from "../reference/process-tables.ts";
import type { CommandOutcome } from "../shared/run-command.ts";

/** Checks that the tables in docs/processes.md match the settings of projects and processes. */
export async function checkProcessTables(): Promise<CommandOutcome> {
  const page = await readFile(processesPagePath, "utf8");
  if (withProcessTables(page) === page) return { code: 0, output: "" };
  return { code: 1, output: "The tables in docs/processes.md do not match the settings in src/contract." };
}
