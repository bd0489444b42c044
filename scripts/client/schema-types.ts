import { nameOf } from "../reference/openapi/schemas.ts";
import type { Schema } from "../reference/openapi/types.ts";

/** The format of texts that a newer version has added. */
export const UNKNOWN_VALUE = "unknown-value";

/** The declaration of a named schema, with its texts. */
export function declarationOf(name: string, schema: Schema): string {
  return `${comment(schema.description, "")}export type ${name} = ${typeOf(schema)};\n`;
}

/** A schema as a TypeScript type. */
export function typeOf(schema: Schema, indent = ""): string {
  const growing = schema["x-growing"];
  const known = knownType(schema, indent);
  return growing === undefined ? known : `${known} | ${typeOf(growing, indent)}`;
}

function knownType(schema: Schema, indent: string): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (allOf !== undefined) throw new Error("an intersection of schemas has no type here");
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)));
  const variants = anyOf ?? oneOf;
  if (variants !== undefined) return union(variants.map((one) => typeOf(one, indent)));
  if (type === undefined) return "unknown";
  return union([type].flat().map((one) => typeNamed(one, schema, indent)));
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case "string":
      if (schema.format === UNKNOWN_VALUE) return "UnknownValue";
      return schema.format === "binary" ? "Uint8Array<ArrayBuffer>" : "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return type;
    case "array":
      return `readonly ${inParentheses(typeOf(schema.items ?? {}, indent))}[]`;
    case "object":
      return objectType(schema, indent);
    default:
      throw new Error(`the type ${type} is not printed yet`);
  }
}

function objectType({ properties = {}, required, additionalProperties }: Schema, indent: string): string {
  const fields = Object.entries(properties);
  if (typeof additionalProperties === "object" && fields.length === 0)
    return `Record<string, ${typeOf(additionalProperties, indent)}>`;
  // A request without fields, to which options are added. No schema lists that it requires nothing.
  if (fields.length === 0 && required?.length === 0) return "{}";
  if (fields.length === 0) return `Record<string, ${additionalProperties === false ? "never" : "unknown"}>`;
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const mark = required?.includes(name) === true ? "" : "?";
    return `${comment(field.description, inner)}${inner}${key}${mark}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

/** A doc comment, which ends with a line break; nothing without a text. */
export function comment(text: string | undefined, indent: string): string {
  if (text === undefined || text === "") return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines.join("")} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function inParentheses(type: string): string {
  return /^[\w.]+$/.test(type) || /^\{[^]*\}$/.test(type) ? type : `(${type})`;
}
