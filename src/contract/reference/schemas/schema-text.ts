import type * as z from "zod/mini";

type KeysOf<Value> = Value extends unknown ? keyof Value & string : never;
type ObjectOf<Schema extends z.ZodMiniType> = Extract<z.output<Schema>, object>;

/** What the reference says of a schema that has a name in it. */
export type SchemaText = {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  /** Of an object, by field. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Of a choice, by value. */
  readonly values?: Readonly<Record<string, string>>;
};

/** An object, or a choice of objects: a field without a text does not compile. `outer.inner` is a field of a field. */
export function object<Schema extends z.ZodMiniType<object>>(
  schema: Schema,
  description: string,
  fields: Readonly<Record<KeysOf<ObjectOf<Schema>>, string> & Record<`${string}.${string}`, string>>,
): SchemaText {
  return { schema, description, fields };
}

/** One of several words: a word without a text does not compile. */
export function choice<Schema extends z.ZodMiniType<string>>(
  schema: Schema,
  description: string,
  values: Readonly<Record<z.output<Schema>, string>>,
): SchemaText {
  return { schema, description, values };
}

/** Texts of the fields of a field that has no schema of its own. */
export function nested(
  outer: string,
  fields: Readonly<Record<string, string>>,
): Record<`${string}.${string}`, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [`${outer}.${name}`, text]));
}
