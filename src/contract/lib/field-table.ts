import * as z from "zod/mini";

import { mapValues } from "#contract/lib/map-values.ts";

// A table has a row for each field of an object, by its name. The column `initial` has the value that the field has if
// nobody sets it. A row without it has none.

type Table = Readonly<Record<string, object>>;

/** The fields with one of these values in a column of the table. */
export type FieldWith<Of, Column extends PropertyKey, Value> = {
  [Name in keyof Of]: Of[Name] extends { readonly [_ in Column]: Value } ? Name : never;
}[keyof Of];

/** The fields with one of these values in a column of the table, in its order. */
export function fieldsWith<const Of extends Table, Column extends PropertyKey, const Value>(
  table: Of,
  column: Column,
  ...values: readonly Value[]
): FieldWith<Of, Column, Value>[];
export function fieldsWith(table: Table, column: PropertyKey, ...values: readonly unknown[]): string[] {
  return Object.entries(table)
    .filter(([, row]) => values.includes(Reflect.get(row, column)))
    .map(([name]) => name);
}

/** The initial values of the fields that have one. */
export function initialOf<Fields, Of extends Table>(
  table: Of,
): Pick<Fields, FieldWith<Of, "initial", unknown> & keyof Fields>;
export function initialOf(table: Table): object {
  const entries = Object.entries(table).flatMap(([name, row]): [string, unknown][] =>
    "initial" in row ? [[name, row.initial]] : [],
  );
  return Object.fromEntries(entries);
}

type Shape = { readonly [name: string]: z.ZodMiniType };
type WithInitial<Of extends Shape, Initial> = {
  [Name in keyof Of]: Name extends keyof Initial ? z.ZodMiniDefault<Of[Name]> : Of[Name];
};

/** The same schemas. Fields with an initial value can be omitted. */
export function withInitial<Of extends Shape, Initial extends object>(
  shape: Of,
  initial: Initial,
): WithInitial<Of, Initial>;
export function withInitial(shape: Shape, initial: object): Shape {
  const values = new Map<string, unknown>(Object.entries(initial));
  return mapValues(shape, (schema, name) =>
    values.has(name) ? z._default(schema, values.get(name)) : schema,
  );
}

/** The same schemas. Each also accepts null. */
export function nullableOf<Of extends Shape>(shape: Of): { [Name in keyof Of]: z.ZodMiniNullable<Of[Name]> };
export function nullableOf(shape: Shape): Shape {
  return mapValues(shape, (schema) => z.nullable(schema));
}
