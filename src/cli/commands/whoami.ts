import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printFacts } from "#cli/output/facts.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { withSession } from "#cli/session/session.ts";

export const whoami = defineCommand({
  name: "whoami",
  summary: "Show the installation, the account and the token's scopes",
  words: {},
  options: {},
  run: withSession(async ({ client, output, url }) => {
    const account = await client.getAccount();
    if (!account.ok) return account;
    const { id, name, token } = account.value;
    output.json({ url, ...account.value });
    printFacts(output, [
      ["installation", url],
      ["account", `${printableName(name)} (${id})`],
      ["token", `${printableName(token.name)} (${token.id})`],
      ["scopes", token.scopes.join(", ")],
      ["projects", token.project_ids?.join(", ") ?? "all"],
      ["expires", timeText(token.expires_at, output)],
    ]);
    return done;
  }),
});
