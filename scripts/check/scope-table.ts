import { readFile } from "node:fs/promises";

import { tokensPagePath, withScopeTables } from "../reference/scope-table.ts";
import type { CommandOutcome } from "../shared/run-command.ts";

/** Checks that the tables of scopes in docs/tokens.md match the contract. */
export async function checkScopeTable(): Promise<CommandOutcome> {
  const page = await readFile(tokensPagePath, "utf8");
  if (withScopeTables(page) === page) return { code: 0, output: "" };
  return { code: 1, output: "The tables in docs/tokens.md do not match src/contract/powers." };
}
