import * as z from "zod/mini";

/**
 * Sets the English messages. Without them, zod/mini reports "Invalid input" for every schema without its own message. The
 * texts are zod's, for what the schemas here use: zod's own list has dozens of formats more, in each bundle. The
 * dashboard does not import this: it has texts of its own, and its first page must stay small.
 */
z.config({ localeError: messageOf });

const sized: Readonly<Record<string, string>> = { string: "characters", array: "items" };
const formats: Readonly<Record<string, string>> = { datetime: "ISO datetime", url: "URL" };

function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `Invalid input: expected ${issue.expected}, received ${typeName(issue.input)}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `Invalid input: expected ${listed(issue.values)}`
        : `Invalid option: expected one of ${listed(issue.values)}`;
    case "too_big":
      return `Too big: expected ${limitText(issue.origin, issue.inclusive === false ? "<" : "<=", issue.maximum)}`;
    case "too_small":
      return `Too small: expected ${limitText(issue.origin, issue.inclusive === false ? ">" : ">=", issue.minimum)}`;
    case "invalid_format":
      return issue.format === "regex"
        ? `Invalid string: must match pattern ${issue.pattern}`
        : `Invalid ${formats[issue.format] ?? issue.format}`;
    case "unrecognized_keys":
      return `Unrecognized key${issue.keys.length > 1 ? "s" : ""}: ${listed(issue.keys, ", ")}`;
    case "invalid_union":
      return issue.inclusive === false || issue.options === undefined
        ? "Invalid input"
        : `Invalid discriminator value. Expected ${issue.options.map((option) => `'${String(option)}'`).join(" | ")}`;
    case "invalid_key":
      return `Invalid key in ${issue.origin}`;
    case "custom":
    case "invalid_element":
    case "not_multiple_of":
      return "Invalid input";
  }
}

function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function listed(values: readonly unknown[], between = "|"): string {
  return values.map((value) => JSON.stringify(value)).join(between);
}

function limitText(origin: string, relation: string, limit: number | bigint): string {
  const unit = sized[origin];
  const limited = `${relation}${limit}`;
  return unit === undefined ? `${origin} to be ${limited}` : `${origin} to have ${limited} ${unit}`;
}
