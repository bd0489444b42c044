import { field, firstProblem, items } from "./checks.ts";

/**
 * Why ntfy would refuse or change a body; null: ntfy publishes the body unchanged. Source: ntfy's documentation,
 * "Publish as JSON".
 */
export function problemOfNtfy(body: unknown): string | null {
  const topic = String(field(body, "topic"));
  const message = String(field(body, "message"));
  const title = String(field(body, "title"));
  const priority = field(body, "priority");
  const actions = items(body, "actions");
  return firstProblem([
    /^[\w-]{1,64}$/.test(topic) ? null : "invalid topic",
    message.trim() !== "" && Buffer.byteLength(message) <= 4096 ? null : "the message becomes an attachment",
    /^[^\r\n]+$/.test(title) ? null : "invalid title",
    typeof priority === "number" && priority >= 1 && priority <= 5 ? null : "invalid priority",
    actions.length <= 3 ? null : "too many actions",
    ...actions.map((one) => (/^https?:/.test(String(field(one, "url"))) ? null : "invalid action")),
  ]);
}
