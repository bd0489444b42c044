import * as z from "zod";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { hasEntityTag, takesIfLive, takesLastEventId } from "#contract/endpoints/endpoint-facts.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";
import { DeploymentId } from "#contract/ids.ts";
import { example } from "#contract/reference/examples.ts";
import { headerTexts, type ParameterText, parameterTexts } from "#contract/reference/parameters.ts";

import { inlineSchema } from "./schemas.ts";
import type { Parameter, Reference, Schema } from "./types.ts";

/** Request headers of several operations. */
export const headerParameters = {
  IfLive: header("If-Live", headerTexts.ifLive, inlineSchema(DeploymentId, "input"), example.deployment),
  IdempotencyKey: header(
    "Idempotency-Key",
    headerTexts.idempotencyKey,
    { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
    "6b0f2f0c-6d0e-4a53-9f55-7c1d6c1c2b8e",
  ),
  LastEventId: header(
    "Last-Event-ID",
    headerTexts.lastEventId,
    { type: "string", pattern: "^\\d{1,15}$" },
    "2",
  ),
  IfNoneMatch: header(
    "If-None-Match",
    headerTexts.ifNoneMatch,
    { type: "string" },
    '"a1081694f8ad25473cef30fa5b712852"',
  ),
  GantryBookmark: header(
    "Gantry-Bookmark",
    headerTexts.bookmark,
    { type: "string" },
    "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
  ),
} satisfies Record<string, Parameter>;

export function parametersOf(endpoint: Endpoint): (Parameter | Reference)[] {
  const path = Object.entries(inlineSchema(endpoint.params, "input").properties ?? {});
  const query = endpoint.query === null ? {} : inlineSchema(endpoint.query, "input");
  const required = query.required ?? [];
  return [
    ...path.map(([name, schema]) => parameter("path", name, schema, true)),
    ...Object.entries(query.properties ?? {}).map(([name, schema]) =>
      parameter("query", name, schema, required.includes(name)),
    ),
    ...headersOf(endpoint).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function headersOf(endpoint: Endpoint): (keyof typeof headerParameters)[] {
  return [
    ...(takesIfLive(endpoint) ? (["IfLive"] as const) : []),
    ...(takesIdempotencyKey(endpoint) ? (["IdempotencyKey"] as const) : []),
    ...(takesLastEventId(endpoint) ? (["LastEventId"] as const) : []),
    ...(hasEntityTag(endpoint) ? (["IfNoneMatch"] as const) : []),
    ...(endpoint.access.by === "token" ? (["GantryBookmark"] as const) : []),
  ];
}

function parameter(where: "path" | "query", name: string, schema: Schema, required: boolean): Parameter {
  const { description, inQuery = description, example: value } = textOf(name);
  const isList = schema.type === "array";
  return {
    name,
    in: where,
    required,
    description: where === "query" ? inQuery : description,
    schema,
    example: isList ? [value] : value,
    ...(isList ? { style: "form", explode: false } : {}),
  };
}

function header(name: string, description: string, schema: Schema, value: string): Parameter {
  return { name, in: "header", required: false, description, schema, example: value };
}

const texts = z.record(z.string(), z.custom<ParameterText>()).parse(parameterTexts);

function textOf(name: string): ParameterText {
  const text = texts[name];
  if (text === undefined) throw new Error(`The parameter ${name} has no text.`);
  return text;
}
