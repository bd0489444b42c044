import type { CommandOutcome } from "../shared/run-command.ts";
import { readScalingPage } from "../reference/scaling-tables.ts";

/** Checks that the tables in docs/scaling.md match the measured counts in that file and in docs/request-costs.md. */
export async function checkScalingTables(): Promise<CommandOutcome> {
  const { page, current } = await readScalingPage();
  if (page === current) return { code: 0, output: "" };
  return { code: 1, output: "A table in docs/scaling.md does not match the measured counts." };
}
