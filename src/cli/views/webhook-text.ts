import type { DeliveryState, WebhookState } from "#contract/endpoints/webhooks/kinds.ts";
import type {
  DeliveryAttempt,
  WebhookDetails,
  WebhookWithSecret,
} from "#contract/endpoints/webhooks/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { printFacts } from "#cli/output/facts.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { type Style, styled } from "#cli/output/style.ts";
import { timeText } from "#cli/output/times.ts";

export const webhookStyles = {
  active: "green",
  failing: "yellow",
  disabled: "red",
} as const satisfies Record<WebhookState, keyof Style>;

export const deliveryStyles = {
  pending: "cyan",
  sending: "cyan",
  delivered: "green",
  failed: "red",
  held: "yellow",
  replaced: "dim",
} as const satisfies Record<DeliveryState, keyof Style>;

/** Prints the secret of a webhook to stdout, and a note to stderr. */
export function printWebhookSecret(output: Output, webhook: WebhookWithSecret): void {
  output.json(webhook);
  const { name, id, secret } = webhook;
  if (secret === null) return output.line(`The webhook "${printableName(name)}" (${id}) is created.`);
  output.note(`The secret of the webhook "${printableName(name)}" (${id}) is shown only once:`);
  output.line(secret);
}

/** The result of an attempt, in a line. */
export function attemptText({ status, problem, duration }: DeliveryAttempt): string {
  const ended = problem === null ? `accepted with status ${status}` : printable(problem);
  return `${ended} (${duration.toFixed(2)} s)`;
}

/** @param nameOf how to show a project */
export function printWebhook(
  output: Output,
  webhook: WebhookDetails,
  nameOf: (id: ProjectId) => string,
): void {
  output.json(webhook);
  const { settings, last_attempt: last, disabled_reason: reason, project_ids: projects } = webhook;
  printFacts(output, [
    ["name", printableName(webhook.name)],
    ["id", webhook.id],
    ["kind", webhook.kind],
    ["target", printable(webhook.url)],
    ["state", styled(output.style, webhookStyles, webhook.state)],
    ["reason", reason === null ? null : printable(reason)],
    ["failing since", webhook.failing_since === null ? null : timeText(webhook.failing_since, output)],
    ["events", webhook.events.join(" ")],
    ["projects", projects === null ? "all" : projects.map(nameOf).join(", ")],
    [
      "headers",
      settings.headers === null || settings.headers.length === 0 ? null : settings.headers.join(" "),
    ],
    ["git host", settings.forge],
    ["waiting", countText(webhook.pending)],
    ["held", countText(webhook.held)],
    ["last attempt", last === null ? null : `${timeText(last.at, output)}: ${attemptText(last)}`],
  ]);
}

/** Source: the API reference: it counts up to 1000. */
function countText(count: number): string {
  return count < 1_000 ? `${count}` : "1000 or more";
}
