import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { claimsText } from "#cli/views/trust-text.ts";

export const trustList = defineCommand({
  name: "trust list",
  isGroupDefault: true,
  summary: "List trust rules: which CI jobs get tokens",
  words: {},
  options: {},
  run: withSession(async (session) => {
    const { client, output } = session;
    const rules = await readAll(client.listTrustRules, (page) => page.trust_rules);
    if (!rules.ok) return rules;
    output.json({ trust_rules: rules.value });
    const nameOf = await projectNames(
      session,
      rules.value.flatMap(({ project_ids: ids }) => ids ?? []),
    );
    output.table(
      ["NAME", "ISSUER", "SUBJECT", "CLAIMS", "SCOPES", "PROJECTS", "LAST USED", "ID"],
      rules.value.map((rule) => [
        printableName(rule.name),
        printable(rule.issuer),
        printable(rule.subject),
        claimsText(rule.claims),
        rule.scopes.join(","),
        rule.project_ids === null ? "all" : rule.project_ids.map(nameOf).join(","),
        rule.last_used_at === null ? "never" : timeText(rule.last_used_at, output),
        output.style.dim(rule.id),
      ]),
    );
    return done;
  }),
});
