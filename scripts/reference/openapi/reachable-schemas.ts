import { nameOf } from "./schemas.ts";
import type { Schema } from "./types.ts";

/** The named schemas that `from` refers to, directly or through other schemas. @throws if one does not exist */
export function reachableSchemas(
  from: unknown,
  named: Iterable<readonly [string, Schema]>,
): Record<string, Schema> {
  const all = new Map(named);
  const reached = new Map<string, Schema>();
  const visit = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      if (reached.has(name)) continue;
      const schema = all.get(name);
      if (schema === undefined) throw new Error(`There is no schema ${name}.`);
      reached.set(name, schema);
      visit(schema);
    }
  };
  visit(from);
  return Object.fromEntries([...reached].toSorted(([a], [b]) => a.localeCompare(b)));
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" && inner.startsWith("#/components/schemas/")
      ? [nameOf(inner)]
      : referencesIn(inner),
  );
}
