import { nameOf } from "../openapi/schemas.ts";
import type { Schema } from "../openapi/types.ts";

/** Reads the document's schemas. Follows references, and separates null from the other types. */
export class Schemas {
  readonly #named: Readonly<Record<string, Schema>>;

  constructor(named: Readonly<Record<string, Schema>>) {
    this.#named = named;
  }

  resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.#named[nameOf(schema.$ref)] ?? {});
  }

  /** The schema without null. */
  valueIn(schema: Schema): Schema {
    const resolved = this.resolve(schema);
    const [only, ...others] = (resolved.anyOf ?? []).filter((one) => one.type !== "null");
    return only !== undefined && others.length === 0 ? this.valueIn(only) : resolved;
  }

  isNullable(schema: Schema): boolean {
    const { anyOf = [], type } = this.resolve(schema);
    return anyOf.some((one) => one.type === "null") || (Array.isArray(type) && type.includes("null"));
  }

  itemsIn(schema: Schema): Schema | null {
    return this.valueIn(schema).items ?? null;
  }

  /** The schema of a field's object, or of the objects in its list; null if it has none. */
  objectIn(schema: Schema): Schema | null {
    const value = this.valueIn(schema);
    if (value.items !== undefined) return this.objectIn(value.items);
    return value.properties !== undefined || value.oneOf !== undefined ? value : null;
  }

  variantsOf(schema: Schema): Schema[] {
    const value = this.valueIn(schema);
    return (value.oneOf ?? [value]).map((one) => this.resolve(one));
  }

  /** The constant field of a variant, such as `type: server`. */
  variantName({ properties = {} }: Schema): string {
    const [tag] = Object.entries(properties).filter(([, property]) => property.const !== undefined);
    return tag === undefined ? "" : `${tag[0]}: ${JSON.stringify(tag[1].const)}`;
  }

  /** The type in words. */
  typeOf(schema: Schema): string {
    const value = this.valueIn(schema);
    return `${this.#wordFor(value)}${this.isNullable(schema) ? " or null" : ""}`;
  }

  /** The values of an enum, with their meanings. */
  choicesOf(schema: Schema): [string, string][] {
    const value = this.valueIn(schema);
    if (value.items !== undefined) return this.choicesOf(value.items);
    const { "x-enumDescriptions": texts = {}, enum: values = [] } = value;
    return values.map((one) => [String(one), texts[String(one)] ?? ""]);
  }

  #wordFor(value: Schema): string {
    if (value.items !== undefined) return `list of ${this.#plural(this.typeOf(value.items))}`;
    if (value.const !== undefined) return JSON.stringify(value.const);
    if (value.oneOf !== undefined) return "object";
    const types = [value.type ?? "any"].flat().filter((type) => type !== "null");
    if (value.format === "date-time") return "time";
    return value.format === undefined ? types.join(" or ") : `${types.join(" or ")}, ${value.format}`;
  }

  #plural(word: string): string {
    return word.includes(" ") ? word : `${word}s`;
  }
}
