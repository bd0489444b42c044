import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { limitOption, readLimit } from "#cli/commands/limit-option.ts";
import { done } from "#cli/outcome.ts";
import { timeText } from "#cli/output/times.ts";
import { styled } from "#cli/output/style.ts";
import { findWebhook } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { attemptText, deliveryStyles } from "#cli/views/webhook-text.ts";

export const webhooksDeliveries = defineCommand({
  name: "webhooks deliveries",
  summary: "List what was sent to a webhook, newest first",
  words: { webhook: { isRequired: true, help: "Webhook name or ID" } },
  options: limitOption("deliveries"),
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const limit = readLimit(options);
    if (!limit.ok) return limit;
    const found = await findWebhook(session, words.webhook);
    if (!found.ok) return found;
    const params = { webhook_id: found.value.id };
    const deliveries = await readAll(
      ({ query }) => client.listDeliveries({ params, query }),
      (page) => page.deliveries,
      limit.value,
    );
    if (!deliveries.ok) return deliveries;
    output.json({ deliveries: deliveries.value });
    output.table(
      ["TIME", "EVENT", "STATE", "TRIES", "LAST ATTEMPT", "EVENT ID"],
      deliveries.value.map(
        ({ created_at: at, event_type: type, state, attempt_count: count, attempts, event_id: id }) => {
          const last = attempts.at(-1);
          return [
            timeText(at, output),
            type,
            styled(output.style, deliveryStyles, state),
            `${count}`,
            last === undefined ? "" : attemptText(last),
            output.style.dim(id),
          ];
        },
      ),
    );
    return done;
  }),
});
