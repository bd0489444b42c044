import { field, firstProblem, isText, items } from "./checks.ts";

/** Why Discord would refuse a body with code 50035; null: it accepts it. Source: its API reference, "Embed limits". */
export function problemOfDiscord(body: unknown): string | null {
  const embeds = items(body, "embeds");
  if (embeds.length === 0 || embeds.length > 10) return "embeds: must be between 1 and 10 in length";
  const total = embeds.flatMap(textsOf).reduce((sum, text) => sum + text.length, 0);
  if (total > 6000) return "embeds: embed size exceeds maximum size of 6000";
  return firstProblem(embeds.map(problemOfEmbed));
}

function problemOfEmbed(embed: unknown): string | null {
  const fields = items(embed, "fields");
  const timestamp = field(embed, "timestamp");
  if (!isText(embed, "title", 1, 256)) return "title: must be 256 or fewer in length";
  if (!isText(embed, "description", 0, 4096)) return "description: must be 4096 or fewer in length";
  if (fields.length > 25) return "fields: must be 25 or fewer in length";
  if (typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp))) return "timestamp: invalid";
  if (!Number.isInteger(field(embed, "color"))) return "color: invalid";
  return firstProblem(
    fields.map((one) =>
      isText(one, "name", 1, 256) && isText(one, "value", 1, 1024) ? null : "fields: this field is required",
    ),
  );
}

function textsOf(embed: unknown): string[] {
  const all = [
    field(embed, "title"),
    field(embed, "description"),
    ...items(embed, "fields").flatMap((one) => [field(one, "name"), field(one, "value")]),
  ];
  return all.filter((text) => typeof text === "string");
}
