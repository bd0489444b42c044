import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { printFacts } from "#cli/output/facts.ts";
import type { Output } from "#cli/output/output.ts";
import { printableName } from "#cli/output/printable.ts";

/** Prints an account's settings. */
export function printAccount(output: Output, account: Account): void {
  const { id, name, log_retention_days: logs, deployment_retention_days: deployments } = account;
  output.json(account);
  printFacts(output, [
    ["account", `${printableName(name)} (${id})`],
    ["logs", `kept for ${daysText(logs)}`],
    ["deployments", deployments === null ? "kept forever" : `kept for ${daysText(deployments)}`],
    ["database", databaseText(account)],
  ]);
}

const daysText = (days: number) => `${days} ${days === 1 ? "day" : "days"}`;

function databaseText({ database_used_percent: percent }: Account): string {
  return percent === null ? "less than 70% full" : `${percent}% full. Set --deployment-retention`;
}
