import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";
import { printAccount } from "#cli/views/account-facts.ts";

export const accountShow = defineCommand({
  name: "account show",
  summary: "Show the account's settings: how long logs and deployments are kept",
  isGroupDefault: true,
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const account = await client.getAccount();
    if (!account.ok) return account;
    printAccount(output, account.value);
    return done;
  }),
});
