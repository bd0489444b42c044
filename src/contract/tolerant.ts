import type * as z from "zod/mini";

import { type OutputOf, type Parsed, parseWith } from "#contract/endpoint.ts";

/**
 * Parses what a peer of the same version may have added fields to. Everything else must be as the schema says.
 */
export function parseKnown<Schema extends z.ZodMiniType | null>(
  schema: Schema,
  value: unknown,
): Parsed<OutputOf<Schema>> {
  const parsed = parseWith(schema, value);
  if (parsed.success) return parsed;
  const known = withoutUnknownFields(value, parsed.error);
  return known === null ? parsed : parseKnown(schema, known);
}

/**
 * The value without the fields that its schema does not know; null where that is not all that is wrong with it.
 * The value itself is left as it is.
 */
function withoutUnknownFields(value: unknown, error: z.core.$ZodError): unknown {
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
