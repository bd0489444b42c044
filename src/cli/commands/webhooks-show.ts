import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findWebhook } from "#cli/session/find-named.ts";
import { projectNames } from "#cli/session/project-names.ts";
import { withSession } from "#cli/session/session.ts";
import { printWebhook } from "#cli/views/webhook-text.ts";

export const webhooksShow = defineCommand({
  name: "webhooks show",
  summary: "Show a webhook",
  words: { webhook: { isRequired: true, help: "Webhook name or ID" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findWebhook(session, words.webhook);
    if (!found.ok) return found;
    const webhook = await client.getWebhook({ params: { webhook_id: found.value.id } });
    if (!webhook.ok) return webhook;
    printWebhook(output, webhook.value, await projectNames(session, webhook.value.project_ids ?? []));
    return done;
  }),
});
