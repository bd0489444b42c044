import { defineCommand } from "#cli/arguments/command.ts";
import { printableName } from "#cli/output/printable.ts";
import { findWebhook } from "#cli/session/find-named.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";

export const webhooksDelete = defineCommand({
  name: "webhooks delete",
  summary: "Delete a webhook",
  details: ["What waits for its target is not sent."],
  words: { webhook: { isRequired: true, help: "Webhook name or ID" } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  run: withSession(async (session, { words, options }) => {
    const found = await findWebhook(session, words.webhook);
    if (!found.ok) return found;
    const { id } = found.value;
    const shownName = printableName(words.webhook);
    return remove(session, {
      question: `Delete ${shownName}?`,
      yes: options.yes,
      send: () => session.client.deleteWebhook({ params: { webhook_id: id } }),
      json: { deleted: id },
      line: `${shownName} is deleted.`,
    });
  }),
});
