import { abbreviateCommit } from "#contract/abbreviate-commit.ts";
import type { Hook, Push } from "#contract/endpoints/hooks/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Fact, printFacts } from "#cli/output/facts.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";

/** Prints a hook. @param secret null: it is not known. @param nameOf how to show a project */
export function printHook(
  output: Output,
  hook: Hook,
  secret: string | null,
  nameOf: (id: ProjectId) => string,
): void {
  const { previous_expires_at: previous, project_ids: projects } = hook;
  printFacts(output, [
    ["repository", printableName(hook.repository)],
    ["id", hook.id],
    ["host", hook.forge],
    ["address", hook.url],
    ["secret", secret],
    ["previous secret", previous === null ? null : `works until ${timeText(previous, output)}`],
    ["projects", projects.length === 0 ? "none has this repository" : projects.map(nameOf).join(", ")],
    ["state", hookState(hook, output)],
  ] satisfies Fact[]);
}

/** Prints where to add the hook at the forge. */
export function printHookSteps(output: Output, { settings_url: url, steps }: Hook): void {
  if (url !== null) output.note(`Add it at ${url}:`);
  for (const [at, step] of steps.entries()) output.note(`${at + 1}. ${step}`);
}

/** Whether a hook works, in a few words. */
export function hookState(
  { received_at: received, refused_at: refused, refused_reason: reason }: Hook,
  output: Output,
): string {
  const isBroken = refused !== null && (received === null || refused > received);
  if (isBroken) return `refused a delivery ${timeText(refused, output)}: ${reason ?? "unknown"}`;
  return received === null ? "nothing delivered yet" : `works, last delivery ${timeText(received, output)}`;
}

export const pushColumns = ["RECEIVED", "REF", "COMMIT", "DECISION", "REASON", "BY", "MESSAGE", "ID"];

/** The cells of a push. */
export function pushRow(push: Push, output: Output): string[] {
  const { style } = output;
  const reason =
    push.reason === null ? "–" : `${push.reason}${push.count > 1 ? ` (${push.count} times)` : ""}`;
  return [
    timeText(push.received_at, output),
    printableName(push.ref?.replace(/^refs\/(?:heads|tags)\//, "") ?? "–"),
    push.after === null ? "–" : abbreviateCommit(push.after),
    push.decision,
    reason,
    printable(push.source === "hook" ? (push.pusher ?? "–") : push.source),
    printable(push.headline ?? "–"),
    style.dim(push.id),
  ];
}
