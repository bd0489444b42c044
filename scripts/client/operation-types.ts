import * as z from "zod";
import * as mini from "zod/mini";

import { problemCodes, problemsOf } from "#contract/endpoints/endpoint-facts.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import { fallbackOf } from "#contract/growing.ts";
import { FieldError } from "#contract/problems.ts";
import { sections } from "#contract/reference/operations.ts";

import { parametersOf } from "../reference/openapi/parameters.ts";
import { reachableSchemas } from "../reference/openapi/reachable-schemas.ts";
import { namedSchemas, schemaFor } from "../reference/openapi/schemas.ts";
import { type Parameter, Schema } from "../reference/openapi/types.ts";
import { declarationOf, UNKNOWN_VALUE } from "./schema-types.ts";

const UNKNOWN_VALUE_TYPE = `/**
 * A value that a newer version has added. No text is assignable to it, so that a \`switch\` over the known values needs a
 * default.
 */
export type UnknownValue = \`<added \${string}>\`;
`;

/**
 * TypeScript declarations of what each operation takes and returns, with the texts of the API reference. They have the
 * names of src/library/operations.ts, and need no zod.
 */
export function operationTypes(): string {
  const operations = objectOf(
    Object.entries<Endpoint>(userEndpoints).map(([name, endpoint]) => [
      name,
      operationSchema(name, endpoint),
    ]),
  );
  const named = reachableSchemas(
    [operations, schemaFor(FieldError, "output")],
    [...namedSchemas("output", markGrowing), ...namedSchemas("input")],
  );
  const declared = Object.entries<Schema>({
    ProblemCode: { enum: problemCodes, description: "The stable codes of problems." },
    Operations: { ...operations, description: "What each operation takes and returns." },
    ...named,
  });
  return [UNKNOWN_VALUE_TYPE, ...declared.map(([name, schema]) => declarationOf(name, schema))].join("\n");
}

function operationSchema(name: string, endpoint: Endpoint): Schema {
  const { body: answer } = endpoint.success;
  return {
    ...objectOf([
      ["request", requestSchema(endpoint)],
      [
        "answer",
        answer === null ? { type: "null" } : { ...schemaFor(answer, "output"), ...growthOf(answer) },
      ],
      ["problem", { enum: problemsOf(endpoint) }],
    ]),
    description: `${summaryOf(name)}. \`${endpoint.method} ${endpoint.path}\``,
  };
}

function requestSchema(endpoint: Endpoint): Schema {
  const { body, takes } = endpoint;
  const parameters = parametersOf(endpoint).filter((one) => "in" in one);
  const inPlace = (place: Parameter["in"]) => {
    const some = parameters.filter((one) => one.in === place);
    const fields = some.map(({ name, schema, description }) => [name, { ...schema, description }] as const);
    const required = some.filter((one) => one.required).map(({ name }) => name);
    return some.length === 0 ? [] : [[place, objectOf(fields, required)] as const];
  };
  const params = inPlace("path").map(([, schema]) => ["params", schema] as const);
  const bytes = { type: "string", format: "binary", description: "The bytes." };
  const bodySchema = takes === "bytes" ? bytes : body === null ? null : schemaFor(body, "input");
  const fields = [
    ...params,
    ...inPlace("query"),
    ...(bodySchema === null ? [] : [["body", bodySchema] as const]),
  ];
  const isOptional = ([field, schema]: readonly [string, Schema]) =>
    field === "body" ? body?.safeParse({}).success === true : (schema.required ?? []).length === 0;
  return objectOf(
    fields,
    fields.filter((field) => !isOptional(field)).map(([field]) => field),
  );
}

function objectOf(
  fields: readonly (readonly [string, Schema])[],
  required: readonly string[] = fields.map(([name]) => name),
): Schema {
  return { type: "object", properties: Object.fromEntries(fields), required: [...required] };
}

/** Adds what a newer version may send instead of the values of a growing schema. */
const markGrowing: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ zodSchema, jsonSchema }) => {
  if (zodSchema instanceof mini.ZodMiniType) Object.assign(jsonSchema, growthOf(zodSchema));
};

function growthOf(schema: mini.ZodMiniType): Pick<Schema, "x-growing"> {
  const fallback = fallbackOf(schema);
  if (fallback === null) return {};
  const { $schema: _, ...json } = z.toJSONSchema(fallback, {
    unrepresentable: "any",
    override(part) {
      markGrowing(part);
      if (part.zodSchema instanceof mini.ZodMiniCustom)
        Object.assign(part.jsonSchema, { type: "string", format: UNKNOWN_VALUE });
    },
  });
  return { "x-growing": Schema.parse(json) };
}

function summaryOf(name: string): string {
  for (const texts of Object.values<Readonly<Record<string, { readonly summary: string }>>>(sections)) {
    const text = texts[name];
    if (text !== undefined) return text.summary;
  }
  throw new Error(`The operation ${name} has no text.`);
}
