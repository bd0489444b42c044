type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** What was expected, by the kind of the value: a number, a text, a list. */
  readonly origin?: string | undefined;
  readonly expected?: string | undefined;
  readonly minimum?: number | bigint | undefined;
  readonly maximum?: number | bigint | undefined;
};

/** What is wrong with each field of an input, its path joined with dots; the first where there are several. */
export function errorsOf({ issues }: { readonly issues: readonly Issue[] }): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of issues) errors[issue.path.map(String).join(".")] ??= textOf(issue);
  return errors;
}

/** The contract says it in words where a rule is its own; of the usual rules, zod's small form only says which it was. */
function textOf({ code, message, origin, expected, minimum, maximum }: Issue): string {
  if (message !== "Invalid input") return message.startsWith("must ") ? `It ${message}.` : message;
  const isNumber = origin === "number" || origin === "int";
  if (code === "too_small") return isNumber ? `It must be ${minimum} or more.` : "It is missing.";
  if (code === "too_big") {
    if (isNumber) return `It must be ${maximum} or less.`;
    return origin === "string" ? `It must have ${maximum} characters or fewer.` : "There are too many.";
  }
  if (code === "invalid_type" && expected === "int") return "It must be a whole number.";
  if (code === "invalid_type" && expected === "number") return "It must be a number.";
  if (code === "invalid_type") return "It is missing, or not of the right kind.";
  return "It does not fit here.";
}
