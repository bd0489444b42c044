import * as z from "zod";
import * as mini from "zod/mini";

import { schemaTexts } from "#contract/reference/schemas.ts";
import { agentSchemas } from "#contract/endpoints/agents/texts.ts";
import type { SchemaText } from "#contract/reference/schemas/schema-text.ts";

import { powersOfFields } from "./powers.ts";
import { Schema } from "./types.ts";

/** Requests are described as the client sends them (`input`: a field with a default is optional), responses as output. */
export type Direction = "input" | "output";

const PREFIX = "#/components/schemas/";
/** The names of fields that contain a time. */
const INSTANT = /(?:_at|^last_deploy|^time)$/;

/** Schemas that agents send: a newer agent may send fields that an older installation ignores. Some are in responses. */
const sentByAgents = new Set([...Object.keys(agentSchemas), "Failure", "FailureEvidence", "LiveEvidence"]);

/**
 * Every named schema of one direction, with its texts.
 * @param override changes the JSON Schema of a part
 */
export function namedSchemas(
  direction: Direction,
  override: NonNullable<z.core.ToJSONSchemaParams["override"]> = () => undefined,
): Map<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [name, text] of Object.entries(schemaTexts))
    registry.add(text.schema, { id: nameFor(name, text, direction) });
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    io: direction,
    override,
    uri: (id) => PREFIX + id,
  });
  return new Map(
    Object.entries(schemaTexts).map(([name, text]) => {
      const id = nameFor(name, text, direction);
      const isOpen = direction === "output" || sentByAgents.has(name);
      return [id, withTexts(tidy(schemas[id], direction, isOpen), text)];
    }),
  );
}

/** A schema without a name, such as a query. */
export function inlineSchema(schema: z.core.$ZodType, direction: Direction): Schema {
  const json = z.toJSONSchema(schema, { target: "draft-2020-12", io: direction });
  return tidy(json, direction, direction === "output");
}

/**
 * A reference to a named schema, or an inline schema if it has no fields.
 * @throws if a schema has fields and no name
 */
export function schemaFor(schema: z.core.$ZodType, direction: Direction): Schema {
  // The wrapper of a growing schema.
  const named = schema instanceof mini.ZodMiniNonOptional ? schema.def.innerType : schema;
  for (const [name, text] of Object.entries(schemaTexts))
    if (text.schema === named) return { $ref: PREFIX + nameFor(name, text, direction) };
  const inline = inlineSchema(schema, direction);
  const fields = Object.keys(inline.properties ?? {});
  if (fields.length > 0)
    throw new Error(
      `A schema with the fields ${fields.join(", ")} has no name: add its texts to texts.ts in src/contract/endpoints.`,
    );
  return inline;
}

export function nameOf(reference: string): string {
  return reference.slice(PREFIX.length);
}

/** A schema of requests has `Input` in its name. A schema of both directions gets two names, as its defaults differ. */
function nameFor(name: string, { values }: SchemaText, direction: Direction): string {
  return direction === "output" || values !== undefined || name.endsWith("Input") ? name : `${name}Input`;
}

/** @param isOpen whether unknown fields are allowed */
function tidy(json: unknown, direction: Direction, isOpen: boolean): Schema {
  const { $schema: _, $id: __, ...rest } = z.looseObject({}).parse(json);
  return tidied(Schema.parse(rest), direction, isOpen);
}

function tidied(schema: Schema, direction: Direction, isOpen: boolean): Schema {
  const inner = (one: Schema) => tidied(one, direction, isOpen);
  const result = mapParts(schema, inner, (name, one) =>
    INSTANT.test(name) ? asInstant(inner(one)) : inner(one),
  );
  // The format says the same as the long pattern.
  if (result.format !== undefined) delete result.pattern;
  // A query parameter that is parsed from text: the limits of the text do not apply to the value.
  if (typeof result.type === "string" && ["integer", "boolean", "array"].includes(result.type))
    for (const key of ["pattern", "minLength", "maxLength", "enum"] as const) delete result[key];
  if (result.minimum === Number.MIN_SAFE_INTEGER) delete result.minimum;
  if (result.maximum === Number.MAX_SAFE_INTEGER) delete result.maximum;
  // Responses contain every field, and may get more fields at any time.
  if (direction === "output") delete result.default;
  if (typeof result.additionalProperties === "object")
    result.additionalProperties = inner(result.additionalProperties);
  else if (isOpen) delete result.additionalProperties;
  if (result.items !== undefined) result.items = inner(result.items);
  return result;
}

/** A copy of a schema with its alternatives and its fields changed. */
function mapParts(
  schema: Schema,
  alternative: (one: Schema) => Schema,
  field: (name: string, one: Schema) => Schema,
): Schema {
  const result: Schema = { ...schema };
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const parts = result[key];
    if (parts !== undefined) result[key] = parts.map(alternative);
  }
  if (result.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, one]) => [name, field(name, one)]),
    );
  return result;
}

function asInstant(schema: Schema): Schema {
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map(asInstant) };
  const isText = schema.type === "string" || (Array.isArray(schema.type) && schema.type.includes("string"));
  return isText ? { ...schema, format: "date-time" } : schema;
}

function withTexts(schema: Schema, { schema: zod, description, fields, values }: SchemaText): Schema {
  const result: Schema = { ...schema, description };
  if (values !== undefined) result["x-enumDescriptions"] = { ...values };
  if (fields === undefined) return result;
  return withPowers(withFieldTexts(result, fields, ""), powersOfFields(zod));
}

/** Adds what the fields let the caller do. */
function withPowers(schema: Schema, powers: ReadonlyMap<string, string>): Schema {
  return mapParts(
    schema,
    (one) => withPowers(one, powers),
    (name, field) => {
      const texts = [field.description, powers.get(name)].filter((text) => text !== undefined);
      return texts.length === 0 ? field : { ...field, description: texts.join(" ") };
    },
  );
}

function withFieldTexts(schema: Schema, fields: Readonly<Record<string, string>>, outer: string): Schema {
  return mapParts(
    schema,
    (one) => withFieldTexts(one, fields, outer),
    (name, one) => {
      const path = `${outer}${name}`;
      return described(withFieldTexts(one, fields, `${path}.`), fields[path]);
    },
  );
}

/**
 * Adds the default to the description. With the keyword `default` some generators require the field, and others send the
 * value, so that a client would keep the defaults of the day on which it was generated.
 */
function described({ default: value, ...schema }: Schema, text: string | undefined): Schema {
  if (text === undefined) return schema;
  const words = text.includes("Default: ") ? null : defaultInWords(value);
  return { ...schema, description: words === null ? text : `${text} Default: ${words}.` };
}

/** null if there is no default, or if it is an object, whose fields have defaults of their own. */
function defaultInWords(value: unknown): string | null {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(inCode).join(", ");
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0 ? "none" : null;
  return inCode(value);
}

function inCode(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
