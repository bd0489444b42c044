type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
};

/** What is wrong with each field of an input, its path joined with dots; the first where there are several. */
export function errorsOf({ issues }: { readonly issues: readonly Issue[] }): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of issues) errors[issue.path.map(String).join(".")] ??= textOf(issue);
  return errors;
}

/** The contract says it in words where a rule is its own; of the usual rules, zod's small form only says which it was. */
function textOf({ code, message }: Issue): string {
  if (message !== "Invalid input") return message.startsWith("must ") ? `It ${message}.` : message;
  if (code === "too_small") return "It is missing, or less than it may be.";
  if (code === "too_big") return "It is more than it may be.";
  if (code === "invalid_type") return "It is missing, or not of the right kind.";
  return "It does not fit here.";
}
