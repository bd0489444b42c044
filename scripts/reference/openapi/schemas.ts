import * as z from "zod";

import { schemaTexts } from "#contract/reference/schemas.ts";
import { agentSchemas } from "#contract/endpoints/agents/texts.ts";
import type { SchemaText } from "#contract/reference/schemas/schema-text.ts";

import { Schema } from "./types.ts";

/** Requests are described as they are sent (`input`: what has a default can be left out), answers as they are given. */
export type Direction = "input" | "output";

const PREFIX = "#/components/schemas/";
/** A field that says when something was or will be. */
const INSTANT = /(?:_at|^last_deploy|^time)$/;

/** What agents send may have fields that an older installation passes over; some of it is in answers too. */
const sentByAgents = new Set([...Object.keys(agentSchemas), "Failure", "FailureEvidence", "LiveEvidence"]);

/** Every named schema of one direction, with its texts. */
export function namedSchemas(direction: Direction): Map<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [name, text] of Object.entries(schemaTexts))
    registry.add(text.schema, { id: nameFor(name, text, direction) });
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    io: direction,
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

/** A schema that stands where it is used, such as a query. */
export function inlineSchema(schema: z.core.$ZodType, direction: Direction): Schema {
  const json = z.toJSONSchema(schema, { target: "draft-2020-12", io: direction });
  return tidy(json, direction, direction === "output");
}

/**
 * A reference to a schema that has a name; one without any fields needs none.
 * @throws where a schema has fields and no name
 */
export function schemaFor(schema: z.core.$ZodType, direction: Direction): Schema {
  for (const [name, text] of Object.entries(schemaTexts))
    if (text.schema === schema) return { $ref: PREFIX + nameFor(name, text, direction) };
  const inline = inlineSchema(schema, direction);
  const fields = Object.keys(inline.properties ?? {});
  if (fields.length > 0)
    throw new Error(
      `A schema with the fields ${fields.join(", ")} has no name: add it to src/contract/reference/schemas.`,
    );
  return inline;
}

export function nameOf(reference: string): string {
  return reference.slice(PREFIX.length);
}

/** What is a request only has `Input` in its name; what is both differs by its defaults, and gets a name for each. */
function nameFor(name: string, { values }: SchemaText, direction: Direction): string {
  return direction === "output" || values !== undefined || name.endsWith("Input") ? name : `${name}Input`;
}

/** @param isOpen whether fields may be added, which are passed over */
function tidy(json: unknown, direction: Direction, isOpen: boolean): Schema {
  const { $schema: _, $id: __, ...rest } = z.looseObject({}).parse(json);
  return tidied(Schema.parse(rest), direction, isOpen);
}

function tidied(schema: Schema, direction: Direction, isOpen: boolean): Schema {
  const inner = (one: Schema) => tidied(one, direction, isOpen);
  const result: Schema = { ...schema };
  // A format says it, and a pattern of some hundred characters says it again.
  if (result.format !== undefined) delete result.pattern;
  // The text of a query that stands for something else: what it is as text says nothing then.
  if (typeof result.type === "string" && ["integer", "boolean", "array"].includes(result.type))
    for (const key of ["pattern", "minLength", "maxLength", "enum"] as const) delete result[key];
  if (result.minimum === Number.MIN_SAFE_INTEGER) delete result.minimum;
  if (result.maximum === Number.MAX_SAFE_INTEGER) delete result.maximum;
  // Answers can gain fields at any time, and nothing is left out of them.
  if (direction === "output") delete result.default;
  if (isOpen) delete result.additionalProperties;
  if (result.items !== undefined) result.items = inner(result.items);
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const parts = result[key];
    if (parts !== undefined) result[key] = parts.map(inner);
  }
  if (result.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, one]) => {
        const property = inner(one);
        return [name, INSTANT.test(name) ? asInstant(property) : property];
      }),
    );
  return result;
}

function asInstant(schema: Schema): Schema {
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map(asInstant) };
  const isText = schema.type === "string" || (Array.isArray(schema.type) && schema.type.includes("string"));
  return isText ? { ...schema, format: "date-time" } : schema;
}

function withTexts(schema: Schema, { description, fields, values }: SchemaText): Schema {
  const result: Schema = { ...schema, description };
  if (values !== undefined) result["x-enumDescriptions"] = { ...values };
  return fields === undefined ? result : withFieldTexts(result, fields, "");
}

function withFieldTexts(schema: Schema, fields: Readonly<Record<string, string>>, outer: string): Schema {
  const result: Schema = { ...schema };
  if (result.oneOf !== undefined)
    result.oneOf = result.oneOf.map((one) => withFieldTexts(one, fields, outer));
  if (result.anyOf !== undefined)
    result.anyOf = result.anyOf.map((one) => withFieldTexts(one, fields, outer));
  if (result.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, property]) => {
        const path = `${outer}${name}`;
        return [name, described(withFieldTexts(property, fields, `${path}.`), fields[path])];
      }),
    );
  return result;
}

/**
 * A default is said in words. As a keyword it makes some generators require the field, and others send the value, so
 * that a client would hold on to the defaults of the day on which it was made.
 */
function described({ default: value, ...schema }: Schema, text: string | undefined): Schema {
  if (text === undefined) return schema;
  const isPlain = typeof value === "string" || typeof value === "number";
  return { ...schema, description: isPlain ? `${text} Left out: \`${value}\`.` : text };
}
