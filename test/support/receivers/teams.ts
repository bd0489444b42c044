import { field, firstProblem, isText, items } from "./checks.ts";

const MAX_BYTES = 28 * 1024;

/**
 * Why a workflow of Teams would refuse a body or could not post the card; null: it posts it.
 * Source: Microsoft's page on incoming webhooks and workflows, and the schema of adaptive cards 1.4.
 */
export function problemOfTeams(body: unknown): string | null {
  if (Buffer.byteLength(JSON.stringify(body)) > MAX_BYTES) return "RequestEntityTooLarge";
  const [attachment, ...others] = items(body, "attachments");
  if (field(body, "type") !== "message" || others.length > 0) return "BadRequest";
  if (field(attachment, "contentType") !== "application/vnd.microsoft.card.adaptive") return "BadRequest";
  const card = field(attachment, "content");
  if (field(card, "type") !== "AdaptiveCard" || field(card, "version") !== "1.4") return "invalid card";
  return firstProblem([
    ...items(card, "body").map(problemOfElement),
    ...items(card, "actions").map(problemOfAction),
  ]);
}

function problemOfElement(element: unknown): string | null {
  const runs = items(element, "inlines");
  const isRichText = field(element, "type") === "RichTextBlock" && runs.length > 0;
  return isRichText && runs.every((run) => field(run, "type") === "TextRun" && isText(run, "text", 1, 10_000))
    ? null
    : "invalid element";
}

function problemOfAction(action: unknown): string | null {
  const isLink = field(action, "type") === "Action.OpenUrl" && isText(action, "title", 1, 100);
  return isLink && /^https?:\/\//.test(String(field(action, "url"))) ? null : "invalid action";
}
