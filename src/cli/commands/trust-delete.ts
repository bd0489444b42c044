import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findTrustRule } from "#cli/session/find-named.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const trustDelete = defineCommand({
  name: "trust delete",
  summary: "Delete a trust rule, and revoke the tokens of its jobs",
  words: { rule: { isRequired: true, help: "Trust rule name or ID" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  run: withSession(async (session, { words, options }) => {
    const rule = await findTrustRule(session, words.rule);
    if (!rule.ok) return rule;
    const { id } = rule.value;
    const shownName = printableName(words.rule);
    return remove(session, {
      question: `Delete the trust rule ${shownName}? Its jobs lose access within 10 seconds.`,
      yes: options.yes,
      send: () => session.client.deleteTrustRule({ params: { trust_rule_id: id } }),
      json: { deleted: id },
      line: `The trust rule ${shownName} is deleted.`,
    });
  }),
});
