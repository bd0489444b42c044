import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { findWebhook } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { attemptText } from "#cli/views/webhook-text.ts";

export const webhooksTest = defineCommand({
  name: "webhooks test",
  summary: "Send a test event to a webhook now",
  details: ["Exits with an error if the target does not accept it. There is one attempt and no retry."],
  words: { webhook: { isRequired: true, help: "Webhook name or ID" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findWebhook(session, words.webhook);
    if (!found.ok) return found;
    const test = await client.testWebhook({ params: { webhook_id: found.value.id }, body: {} });
    if (!test.ok) return test;
    const { delivered, attempt, hint } = test.value;
    output.json(test.value);
    if (attempt.answer !== "") output.note(`The target answered: ${printable(attempt.answer)}`);
    if (hint !== null) output.note(hint);
    output.line(`${printableName(words.webhook)}: ${attemptText(attempt)}`);
    return delivered ? done : { ok: true, exit: "failed" };
  }),
});
