import type * as z from "zod/mini";

type KeysOf<Value> = Value extends unknown ? keyof Value & string : never;
type ObjectOf<Schema extends z.ZodMiniType> = Extract<z.output<Schema>, object>;

/** The texts of a schema that has a name in the API reference. */
export type SchemaText = {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  /** For an object: the text of each field. */
  readonly fields?: Readonly<Record<string, string>>;
  /** For an enum: the text of each value. */
  readonly values?: Readonly<Record<string, string>>;
};

/** The texts of an object, or of a union of objects. A field without a text does not compile. `outer.inner` is a nested field. */
export function object<Schema extends z.ZodMiniType<object>>(
  schema: Schema,
  description: string,
  fields: Readonly<Record<KeysOf<ObjectOf<Schema>>, string> & Record<`${string}.${string}`, string>>,
): SchemaText {
  return { schema, description, fields };
}

/** The texts of an enum. A value without a text does not compile. */
export function choice<Schema extends z.ZodMiniType<string>>(
  schema: Schema,
  description: string,
  values: Readonly<Record<z.output<Schema>, string>>,
): SchemaText {
  return { schema, description, values };
}

export const nextCursor =
  "The `cursor` of the next page. `null` on the last page. The `Link` header has the full URL.";

/** The texts of the fields of a nested object that has no name in the reference. */
export function nested(
  outer: string,
  fields: Readonly<Record<string, string>>,
): Record<`${string}.${string}`, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [`${outer}.${name}`, text]));
}
