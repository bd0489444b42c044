import * as z from "zod/mini";

import { type OutputOf, type Parsed, parseWith } from "#contract/endpoints/endpoint.ts";
import { fallbackOf } from "#contract/growing.ts";
import { mapValues } from "#contract/lib/map-values.ts";

/**
 * Parses a value that a newer version may have written. Fields that the schema does not know are dropped at every depth,
 * and an unknown value of a `growing` schema is kept as it is.
 */
export function parseKnown<Schema extends z.ZodMiniType | null>(
  schema: Schema,
  value: unknown,
): Parsed<OutputOf<Schema>> {
  const parsed = parseWith(schema, value);
  // Most values are of this version. The tolerant schemas are only made when they are needed.
  return parsed.success ? parsed : parseWith(tolerant(schema), value);
}

const copies = new WeakMap<z.ZodMiniType, z.ZodMiniType>();

/** A copy of the schema that is tolerant at every depth. */
// An overload, because TypeScript does not know that a copy has the type of the original.
function tolerant<Schema extends z.ZodMiniType | null>(schema: Schema): Schema;
function tolerant(schema: z.ZodMiniType | null): z.ZodMiniType | null {
  if (schema === null) return null;
  const known = copies.get(schema);
  if (known !== undefined) return known;
  const fallback = fallbackOf(schema);
  const copy = z.clone(schema, tolerantParts(schema.def, []));
  const widened = fallback === null ? copy : z.union([copy, tolerant(fallback)]);
  copies.set(schema, widened);
  return widened;
}

/**
 * The definition of a schema with tolerant parts, and without the refusal of unknown fields.
 * @param strict the fields that tell the members of a union apart: a member must not accept the values of another member
 */
function tolerantParts<Def extends object>(def: Def, strict: readonly string[]): Def;
function tolerantParts(def: Readonly<Record<string, unknown>>, strict: readonly string[]): object {
  const { discriminator } = def;
  const inMembers = typeof discriminator === "string" ? [...strict, discriminator] : [];
  const part = (value: unknown, key: string): unknown => {
    if (key === "checks") return value;
    if (key === "shape") return tolerantShape(value, strict);
    if (value instanceof z.ZodMiniType) return tolerant(value);
    if (!Array.isArray(value)) return value;
    const items: unknown[] = value;
    return items.map((item) => {
      if (!(item instanceof z.ZodMiniType)) return item;
      return inMembers.length === 0 ? tolerant(item) : z.clone(item, tolerantParts(item.def, inMembers));
    });
  };
  const isStrict = def["catchall"] instanceof z.ZodMiniNever;
  const { catchall: _, ...open } = def;
  return mapValues(isStrict ? open : def, part);
}

function tolerantShape(shape: unknown, strict: readonly string[]): object {
  const fields = Object.entries(shape ?? {}).map(([name, field]: [string, unknown]): [string, unknown] => [
    name,
    field instanceof z.ZodMiniType && !strict.includes(name) ? tolerant(field) : field,
  ]);
  return Object.fromEntries<unknown>(fields);
}
