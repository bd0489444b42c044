import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findWebhook } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printWebhookSecret } from "#cli/views/webhook-text.ts";

export const webhooksRotate = defineCommand({
  name: "webhooks rotate",
  summary: "Replace the secret of a webhook",
  details: [
    "For 24 hours deliveries are signed with the old secret too. Only the kind standard has a secret.",
  ],
  words: { webhook: { isRequired: true, help: "Webhook name or ID" } },
  options: {},
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findWebhook(session, words.webhook);
    if (!found.ok) return found;
    const webhook = await client.rotateWebhook({ params: { webhook_id: found.value.id }, body: {} });
    if (!webhook.ok) return webhook;
    printWebhookSecret(output, webhook.value);
    return done;
  }),
});
