import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { styled } from "#cli/output/style.ts";
import { withSession } from "#cli/session/session.ts";
import { webhookStyles } from "#cli/views/webhook-text.ts";

export const webhooksList = defineCommand({
  name: "webhooks list",
  isGroupDefault: true,
  summary: "List webhooks",
  words: {},
  options: {},
  run: withSession(async ({ client, output }) => {
    const webhooks = await readAll(client.listWebhooks, (page) => page.webhooks);
    if (!webhooks.ok) return webhooks;
    output.json({ webhooks: webhooks.value });
    output.table(
      ["NAME", "KIND", "STATE", "TARGET", "EVENTS", "ID"],
      webhooks.value.map(({ name, kind, state, url, events, id }) => [
        printableName(name),
        kind,
        styled(output.style, webhookStyles, state),
        printable(url),
        events.join(","),
        output.style.dim(id),
      ]),
    );
    return done;
  }),
});
