import { readFile } from "node:fs/promises";

import { membersPagePath, withRoleTable } from "../reference/role-table.ts";
import type { CommandOutcome } from "../shared/run-command.ts";

/** Checks that the table of roles in docs/members.md matches the endpoints. */
export async function checkRoleTable(): Promise<CommandOutcome> {
  const page = await readFile(membersPagePath, "utf8");
  if (withRoleTable(page) === page) return { code: 0, output: "" };
  return { code: 1, output: "The table in docs/members.md does not match the endpoints." };
}
