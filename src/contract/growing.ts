import * as z from "zod/mini";

/**
 * A value that a newer version has added, such as a type of actor. Views show it unchanged. Its type is a pattern that
 * no value has: so no other text is assignable, and the type narrows a union as a literal does.
 */
export type UnknownValue = `<added ${string}>`;

/**
 * One of the known values, or a value that a newer version has added. A `switch` needs a `default` for unknown values.
 */
export type Growing<Known extends string> = Known | UnknownValue;

/** A value that is none of these. It must look like the name of a value, so that each view can show it. */
export const unknownOf = (known: readonly string[]) =>
  z.custom<UnknownValue>(
    (value) => typeof value === "string" && /^[\w.:-]{1,100}$/.test(value) && !known.includes(value),
  );

/** In a union with the known values. */
const AnyValue = unknownOf([]);

const fallbacks = new WeakMap<z.ZodMiniType, z.ZodMiniType>();

/**
 * A schema of answers and stored records to which later versions will add values: `parseKnown` also accepts what
 * `fallback` accepts. For all other readers, such as requests and the API reference, it is the schema that it contains.
 */
/* @__NO_SIDE_EFFECTS__ */
export function growing<Schema extends z.ZodMiniType, Fallback extends z.ZodMiniType = typeof AnyValue>(
  schema: Schema,
  fallback?: Fallback,
): z.ZodMiniType<z.output<Schema> | z.output<Fallback>>;
export function growing(schema: z.ZodMiniType, fallback: z.ZodMiniType = AnyValue): z.ZodMiniType {
  // A wrapper that changes nothing, because other fields can have the same schema.
  const wrapper = z.nonoptional(schema);
  fallbacks.set(wrapper, fallback);
  return wrapper;
}

/** What a growing schema accepts besides its known values; null if the schema does not grow. */
export function fallbackOf(schema: z.ZodMiniType): z.ZodMiniType | null {
  return fallbacks.get(schema) ?? null;
}

/** What belongs to a known value; null for an unknown one. */
export function knownOf<Known extends string, Value>(
  values: Readonly<Partial<Record<Known, Value>>>,
  value: Growing<Known>,
): Value | null;
export function knownOf(values: Readonly<Record<string, unknown>>, value: string): unknown {
  return Object.hasOwn(values, value) ? values[value] : null;
}

/** The text of a known value; an unknown value as it is. */
export function textOf<Known extends string>(
  texts: Readonly<Record<Known, string>>,
  value: Growing<Known>,
): string {
  return knownOf(texts, value) ?? value;
}
