import type * as z from "zod/mini";

import { type OutputOf, type Parsed, parseWith } from "#contract/endpoints/endpoint.ts";

/** Parses a value and ignores fields that the schema does not know, because a newer peer can have added them. */
export function parseKnown<Schema extends z.ZodMiniType | null>(
  schema: Schema,
  value: unknown,
): Parsed<OutputOf<Schema>> {
  const parsed = parseWith(schema, value);
  if (parsed.success) return parsed;
  const known = withoutUnknownFields(value, parsed.error);
  return known === null ? parsed : parseKnown(schema, known);
}

/** A copy of the value without its unknown fields; null if the value has other errors. */
function withoutUnknownFields(value: unknown, error: z.core.$ZodError): unknown {
  const root = { value };
  // Each object is copied once, because thousands of log lines can have an unknown field each.
  const copies = new Set<object>();
  for (const issue of error.issues) {
    if (issue.code !== "unrecognized_keys") return null;
    let owner: object = root;
    for (const key of ["value", ...issue.path]) {
      const part: unknown = Reflect.get(owner, key);
      if (typeof part !== "object" || part === null) return null;
      const copy = copies.has(part) ? part : shallowCopy(part);
      copies.add(copy);
      Reflect.set(owner, key, copy);
      owner = copy;
    }
    for (const key of issue.keys) Reflect.deleteProperty(owner, key);
  }
  return root.value;
}

function shallowCopy(part: object): object {
  if (!Array.isArray(part)) return Object.fromEntries(Object.entries(part));
  const items: unknown[] = part;
  return [...items];
}
