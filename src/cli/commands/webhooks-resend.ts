import { EventId } from "#contract/ids.ts";
import { counted } from "#contract/lib/counted.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { done, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findWebhook } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";

export const webhooksResend = defineCommand({
  name: "webhooks resend",
  summary: "Send deliveries of a webhook again",
  details: [
    "Without EVENT, all deliveries that failed or are held, but not deliveries that wait for their next attempt: with --since only deliveries of events since that time, with --delivered also successful deliveries.",
  ],
  words: {
    webhook: { isRequired: true, help: "Webhook name or ID" },
    event: { isRequired: false, help: "ID of the event to send again" },
  },
  options: {
    since: { kind: "text", value: "TIME", help: "Time such as 2026-11-20T09:00Z" },
    delivered: { kind: "flag", help: "Also send again what was delivered" },
  },
  examples: ["webhooks resend ci", "webhooks resend ci --since 2026-11-20T09:00Z --delivered"],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const since = options.since === null ? null : Date.parse(options.since);
    if (since !== null && Number.isNaN(since))
      return stop("usage", "--since must be a time such as 2026-11-20T09:00Z.");
    const event = words.event === null ? null : EventId.safeParse(words.event);
    if (event !== null && !event.success)
      return stop("usage", "EVENT must be the ID of an event. gantry webhooks deliveries lists them.");
    const found = await findWebhook(session, words.webhook);
    if (!found.ok) return found;
    const params = { webhook_id: found.value.id };
    const name = printableName(words.webhook);
    if (event !== null) {
      const resent = await client.resendDelivery({ params: { ...params, event_id: event.data }, body: {} });
      if (!resent.ok) return resent;
      output.json(resent.value);
      output.line(`${name} gets the event ${event.data} again.`);
      return done;
    }
    const { delivered } = options;
    const body = {
      delivered,
      ...givenFields({ since: since === null ? null : new Date(since).toISOString() }),
    };
    const resent = await client.resendDeliveries({ params, body });
    if (!resent.ok) return resent;
    output.json(resent.value);
    output.line(`${name} gets ${counted(resent.value.resent, "event")} again.`);
    if (resent.value.resent === 0)
      output.note("To send one now that waits for its next attempt, pass the ID of its event.");
    return done;
  }),
});
