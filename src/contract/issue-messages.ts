import * as z from "zod/mini";

/**
 * Sets the English messages, each to be read after the name of a field: `name must not be empty`. Without them, zod/mini
 * reports "Invalid input" for every schema without its own message. The dashboard does not import this: it has texts of
 * its own, and its first page must stay small.
 */
z.config({ localeError: messageOf });

function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return issue.expected === "int" ? "must be a whole number" : `must be ${kindOf(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${listed(issue.values)}`;
    case "too_big":
      return limitText(issue.origin, issue.maximum, "most");
    case "too_small":
      return limitText(issue.origin, issue.minimum, "least");
    case "invalid_format":
      return issue.format === "regex" ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
    case "unrecognized_keys":
      return `must not have ${listed(issue.keys)}`;
    case "invalid_key":
      return "has an invalid key";
    case "invalid_union":
      return unionText(issue);
    case "custom":
    case "invalid_element":
    case "not_multiple_of":
      return "is invalid";
  }
}

/** Names the values of the field that decides, or what any of the alternatives takes. */
function unionText(issue: z.core.$ZodRawIssue & { readonly code: "invalid_union" }): string {
  if ("options" in issue && Array.isArray(issue.options)) return `must be one of ${listed(issue.options)}`;
  const reasons = issue.errors.map((errors) => errors[0]);
  // One of the alternatives fits, but something inside of it is wrong.
  const inner = reasons.find((reason) => reason !== undefined && reason.path.length > 0);
  if (inner !== undefined) return `is invalid at ${inner.path.join(".")}: ${inner.message}`;
  const values = reasons.flatMap((reason) => (reason?.code === "invalid_value" ? reason.values : []));
  const types = reasons.flatMap((reason) => (reason?.code === "invalid_type" ? kindOf(reason.expected) : []));
  const all = [...(values.length === 0 ? [] : [`one of ${listed(values)}`]), ...new Set(types)];
  return all.length > 0 ? `must be ${all.join(" or ")}` : (reasons[0]?.message ?? "is invalid");
}

/** A type of JSON with its article. */
function kindOf(type: string): string {
  return type === "record" ? "an object" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function listed(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}

function limitText(origin: string, limit: number | bigint, kind: "least" | "most"): string {
  const unit = { string: " characters", array: " items" }[origin];
  if (unit === undefined) return `must be ${limit} or ${kind === "least" ? "more" : "less"}`;
  if (kind === "least" && limit === 1) return "must not be empty";
  return `must have ${limit}${unit} or ${kind === "least" ? "more" : "fewer"}`;
}
