/** A value of a configuration file. */
export type Json = null | boolean | number | string | readonly Json[] | Fields;
export type Fields = { readonly [name: string]: Json };

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The own field of an object. Names are chosen by people, so they can be names of every object's properties. */
export function fieldOf(fields: Fields, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** A parsed value as JSON: dates of TOML become their text. */
export function jsonOf(value: unknown): Json {
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string")
    return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item: unknown) => jsonOf(item));
  if (typeof value !== "object") return JSON.stringify(value) ?? null;
  const entries = Object.entries(value).filter(([, field]: [string, unknown]) => field !== undefined);
  return Object.fromEntries(entries.map(([name, field]: [string, unknown]) => [name, jsonOf(field)]));
}

/** Whether two values are equal. The order of fields does not count. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return stableText(one) === stableText(other);
}

/** The same text for equal values. */
export function stableText(value: Json): string {
  if (isList(value)) return `[${value.map((item) => stableText(item)).join(",")}]`;
  if (!isFields(value)) return JSON.stringify(value);
  const fields = Object.keys(value).toSorted();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${stableText(fieldOf(value, name) ?? null)}`).join(",")}}`;
}
