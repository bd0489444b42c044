import { field, firstProblem, isText, items } from "./checks.ts";

/** Why Slack would refuse a body; null: it answers `ok`. Source: Slack's Block Kit reference. */
export function problemOfSlack(body: unknown): string | null {
  const blocks = items(body, "blocks");
  if (!isText(body, "text", 1, 40_000)) return "no_text";
  if (blocks.length === 0 || blocks.length > 50) return "invalid_blocks";
  return firstProblem(blocks.map(problemOfBlock));
}

function problemOfBlock(block: unknown): string | null {
  switch (field(block, "type")) {
    case "header":
      return problemOfText(field(block, "text"), 150, ["plain_text"]);
    case "section": {
      const fields = items(block, "fields");
      const text = field(block, "text");
      if (fields.length > 10 || (fields.length === 0 && text === undefined)) return "invalid_blocks";
      return firstProblem([
        ...(text === undefined ? [] : [problemOfText(text, 3000)]),
        ...fields.map((one) => problemOfText(one, 2000)),
      ]);
    }
    case "context": {
      const elements = items(block, "elements");
      if (elements.length === 0 || elements.length > 10) return "invalid_blocks";
      return firstProblem(elements.map((one) => problemOfText(one, 3000)));
    }
    default:
      return "invalid_blocks";
  }
}

function problemOfText(text: unknown, most: number, types = ["plain_text", "mrkdwn"]): string | null {
  const type = String(field(text, "type"));
  const onlyFor = type === "plain_text" ? "verbatim" : "emoji";
  return types.includes(type) && isText(text, "text", 1, most) && field(text, onlyFor) === undefined
    ? null
    : "invalid_blocks";
}
