import type * as z from "zod";

/**
 * The value without the fields that its schema does not know; null where that is not all that is wrong with it.
 * The value itself is left as it is.
 */
export function withoutUnknownFields(value: unknown, error: z.ZodError): unknown {
  let result = value;
  for (const issue of error.issues) {
    if (issue.code !== "unrecognized_keys") return null;
    result = without(result, issue.path, issue.keys);
  }
  return result;
}

function without(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return items.map((item, at) => (at === key ? without(item, rest, keys) : item));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (key === undefined) return Object.fromEntries(entries.filter(([name]) => !keys.includes(name)));
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === key ? without(inner, rest, keys) : inner]),
  );
}
