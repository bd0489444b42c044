import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeByHour, timeText } from "#cli/output/times.ts";
import { withSession } from "#cli/session/session.ts";

export const tokensList = defineCommand({
  name: "tokens list",
  isGroupDefault: true,
  summary: "List API tokens and dashboard sessions",
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const tokens = await readAll(client.listTokens, (page) => page.tokens);
    if (!tokens.ok) return tokens;
    output.json({ tokens: tokens.value });
    output.table(
      ["NAME", "SCOPES", "LAST USED", "EXPIRES", "KIND", "ID"],
      tokens.value.map(({ name, kind, scopes, last_used_at: used, expires_at: expires, id }) => [
        printableName(name),
        scopes.join(","),
        timeByHour(used, output),
        timeText(expires, output),
        kind,
        output.style.dim(id),
      ]),
    );
    return done;
  }),
});
