import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";
import { printAccount } from "#cli/views/account-facts.ts";

const FOREVER = "forever";

export const accountSet = defineCommand({
  name: "account set",
  summary: "Change the account's settings",
  details: [
    "They apply to all projects. Older records are removed within a day, and cannot be restored. The live deployment, the deployments that can be rolled back to, and the newest 100 of each project always stay.",
  ],
  words: {},
  options: {
    "log-retention": { kind: "text", value: "DAYS", help: "How long logs are kept after a deployment's end" },
    "deployment-retention": {
      kind: "text",
      value: "DAYS",
      help: `How long deployments are kept after their end, or ${FOREVER}`,
    },
  },
  examples: [
    "account set --log-retention 30 --deployment-retention 365",
    `account set --deployment-retention ${FOREVER}`,
  ],
  run: withSession(async ({ client, output }, { options }) => {
    const { "log-retention": logs, "deployment-retention": deployments } = options;
    if (logs === null && deployments === null)
      return stop("usage", "Pass at least one setting. See gantry account set --help.");
    const logDays = logs === null ? null : readDays("--log-retention", logs);
    if (logDays?.ok === false) return logDays;
    const deploymentDays = deployments === null ? null : readDaysOrForever(deployments);
    if (deploymentDays?.ok === false) return deploymentDays;
    const account = await client.updateAccount({
      body: {
        ...(logDays === null ? {} : { log_retention_days: logDays.value }),
        ...(deploymentDays === null ? {} : { deployment_retention_days: deploymentDays.value }),
      },
    });
    if (!account.ok) return account;
    printAccount(output, account.value);
    return done;
  }),
});

function readDaysOrForever(text: string): Result<number | null> {
  return text === FOREVER ? succeed(null) : readDays("--deployment-retention", text);
}

/** The control plane checks how many it may be. */
function readDays(option: string, text: string): Result<number> {
  return /^\d{1,9}$/.test(text)
    ? succeed(Number(text))
    : stop("usage", `${option} must be a whole number of days, such as 90.`);
}
