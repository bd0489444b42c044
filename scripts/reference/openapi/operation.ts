import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { hasEntityTag, problemsOf } from "#contract/endpoints/endpoint-facts.ts";
import { type ProblemCode, problems } from "#contract/problems.ts";
import type { StreamedText } from "#contract/reference/operation-text.ts";
import { INTERNAL_TAG } from "#contract/reference/tags.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";

import { type ResponseHeader, headers } from "./headers.ts";
import { parametersOf } from "./parameters.ts";
import { powersOfOperation } from "./powers.ts";
import { problemResponseName } from "./problems.ts";
import { inlineSchema, schemaFor } from "./schemas.ts";
import type { Content, Operation, Reference, RequestBody, Response, Schema } from "./types.ts";

export type AnyOperationText = {
  readonly summary: string;
  readonly description: string;
  readonly body?: unknown;
  readonly answer?: unknown;
  readonly location?: string | null;
  readonly streamed?: Readonly<Record<string, StreamedText>>;
};

export function operationOf(
  name: string,
  endpoint: Endpoint,
  tag: string,
  text: AnyOperationText,
): Operation {
  const { access } = endpoint;
  const requestBody = requestBodyOf(endpoint, text);
  return {
    operationId: name,
    tags: [tag],
    summary: text.summary,
    description: [text.description, [whoMayCall(endpoint), ...powersOfOperation(name)].join(" ")].join(
      "\n\n",
    ),
    security:
      access.by === "none"
        ? []
        : [access.by === "agent" ? { agent: [] } : { token: access.scope === null ? [] : [access.scope] }],
    parameters: parametersOf(endpoint),
    ...(requestBody === null ? {} : { requestBody }),
    responses: {
      [endpoint.success.status]: successOf(endpoint, text),
      ...(hasEntityTag(endpoint) ? { 304: notModified(endpoint, text) } : {}),
      ...problemsByStatus(endpoint),
    },
    ...(tag === INTERNAL_TAG ? { "x-internal": true } : {}),
  };
}

/** The problem codes that an operation can return, by their statuses. */
export function codesByStatus(endpoint: Endpoint): Map<number, ProblemCode[]> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(endpoint)) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function problemsByStatus(endpoint: Endpoint): Record<string, Reference> {
  return Object.fromEntries(
    [...codesByStatus(endpoint)].map(([status, codes]) => [
      status,
      { $ref: `#/components/responses/${problemResponseName(codes)}` },
    ]),
  );
}

function whoMayCall({ access }: Endpoint): string {
  switch (access.by) {
    case "none":
      return "Takes no token.";
    case "agent":
      return "Takes the credential of the server's agent.";
    case "token":
      if (access.scope === null) return "Takes any valid token.";
      return access.reach === "account"
        ? `Needs the scope \`${access.scope}\`, on a token that is not limited to projects.`
        : `Needs the scope \`${access.scope}\`.`;
  }
}

function requestBodyOf({ body, isOAuth, takes }: Endpoint, text: AnyOperationText): RequestBody | null {
  if (takes === "bytes")
    return {
      description: "The bytes.",
      required: true,
      content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
    };
  if (body === null) return null;
  const isRequired = !body.safeParse({}).success;
  const content = { schema: schemaFor(body, "input"), example: text.body };
  return {
    description: isRequired ? "The input." : "The input. An omitted body means `{}`.",
    required: isRequired,
    content: {
      "application/json": content,
      ...(isOAuth ? { "application/x-www-form-urlencoded": content } : {}),
    },
  };
}

function successOf(endpoint: Endpoint, text: AnyOperationText): Response {
  const { status, body } = endpoint.success;
  const more = successHeaders(endpoint, text);
  if (body === null) return { description: "Done.", headers: headers(...more) };
  const content: Content = {
    "application/json": { schema: schemaFor(body, "output"), example: text.answer },
  };
  const streamed = Object.entries(text.streamed ?? {}).map(
    ([type, one]) => [type, { schema: pieceSchema(one), example: one.example, "x-text": one.text }] as const,
  );
  return {
    description: status === 201 ? "Created." : "Success.",
    headers: headers(...more),
    content: { ...content, ...Object.fromEntries(streamed) },
  };
}

/** OpenAPI 3.1 cannot describe a stream, so this is the schema of one piece: a line, or the data of an event. */
function pieceSchema({ pieces }: StreamedText): Schema {
  const schemas = pieces.map((piece) => schemaFor(piece, "output"));
  const [only] = schemas;
  if (only === undefined) return { type: "string" };
  return schemas.length === 1 ? only : { oneOf: schemas };
}

function successHeaders(endpoint: Endpoint, text: AnyOperationText): ResponseHeader[] {
  const { body } = endpoint.success;
  const isList = body !== null && "next_cursor" in (inlineSchema(body, "output").properties ?? {});
  // The tag of a stream is unknown before its end, so only the JSON form has one.
  const tag = endpoint.alsoAs.length === 0 ? ("EntityTag" as const) : ("JsonEntityTag" as const);
  return [
    ...(typeof text.location === "string" ? (["Location"] as const) : []),
    ...(takesIdempotencyKey(endpoint) ? (["IdempotentReplayed"] as const) : []),
    ...(isList ? (["Link"] as const) : []),
    ...(hasEntityTag(endpoint) ? [tag] : []),
    ...(endpoint.access.by === "token" ? (["GantryBookmark"] as const) : []),
  ];
}

function notModified(endpoint: Endpoint, text: AnyOperationText): Response {
  return {
    description: "The content is unchanged: it has the tag in `If-None-Match`.",
    headers: headers(...successHeaders(endpoint, text)),
  };
}
