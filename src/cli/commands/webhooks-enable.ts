import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findWebhook } from "#cli/session/find-named.ts";
import { type Session, withSession } from "#cli/session/session.ts";

const words = { webhook: { isRequired: true, help: "Webhook name or ID" } } as const;

export const webhooksEnable = defineCommand({
  name: "webhooks enable",
  summary: "Send events to a disabled webhook again",
  details: ["It gets the next events. gantry webhooks resend also sends the held deliveries."],
  words,
  options: {},
  run: withSession((session, given) => change(session, given.words.webhook, true)),
});

export const webhooksDisable = defineCommand({
  name: "webhooks disable",
  summary: "Stop sending events to a webhook, and hold its waiting deliveries",
  words,
  options: {},
  run: withSession((session, given) => change(session, given.words.webhook, false)),
});

async function change(session: Session, word: string, enabled: boolean): Promise<Outcome> {
  const { client, output } = session;
  const found = await findWebhook(session, word);
  if (!found.ok) return found;
  const params = { webhook_id: found.value.id };
  const webhook = await client.updateWebhook({ params, body: { enabled } });
  if (!webhook.ok) return webhook;
  output.json(webhook.value);
  output.line(`${printableName(word)} is ${enabled ? "enabled" : "disabled"}.`);
  return done;
}
