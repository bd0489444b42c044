import * as fc from "fast-check";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import type { Listed } from "../../../scripts/reference/html/document.ts";
import type { Operation, Parameter } from "../../../scripts/reference/openapi/types.ts";
import { document } from "./open-api.ts";
import type { Request, Sender } from "./request.ts";
import { spoiled } from "./spoil.ts";
import { sparse, standIn, valuesOf } from "./values.ts";

const BYTES = "application/octet-stream";

/** Requests for an operation: half of them as the document has them, half of them spoiled in some way. */
export function requestsFor(listed: Listed): fc.Arbitrary<Request> {
  return fc.oneof(
    { weight: 5, arbitrary: validRequests(listed) },
    { weight: 5, arbitrary: spoiledRequests(listed) },
  );
}

function validRequests({ method, path, operation }: Listed): fc.Arbitrary<Request> {
  const parameters = operation.parameters.map((one) => document.parameter(one));
  const sender = senderOf(operation);
  const body = operation.requestBody?.content["application/json"]?.schema;
  const takesBytes = operation.requestBody?.content[BYTES] !== undefined;
  const isOptional = operation.requestBody?.required === false;
  return fc
    .record({
      path: valuesByName(parameters, "path"),
      query: valuesByName(parameters, "query"),
      header: valuesByName(parameters, "header"),
      accept: fc.constantFrom(
        "application/json",
        "*/*",
        "text/plain",
        "application/x-ndjson",
        "text/event-stream",
        "",
      ),
      body:
        body === undefined
          ? fc.constant(takesBytes ? "bytes" : null)
          : fc.option(
              valuesOf(body).map((value) => JSON.stringify(value)),
              { freq: isOptional ? 4 : 1e9 },
            ),
    })
    .map((drawn) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, (_, name: string) => drawn.path[name] ?? "") + queryOf(drawn.query),
      sender,
      headers: {
        ...(drawn.accept === "" ? {} : { accept: drawn.accept }),
        ...(drawn.body === null ? {} : { "content-type": takesBytes ? BYTES : "application/json" }),
        ...drawn.header,
      },
      body: drawn.body,
      isAsDocumented: true,
    }));
}

function senderOf({ security: [security], operationId }: Operation): Sender {
  if (security === undefined) return "nobody";
  if (operationId === "endSession") return "session";
  if ("agent" in security) return "agent";
  return isOfPeople(operationId) ? "person" : "owner";
}

/** Whether an operation is for people: the first token of an account cannot invite them. */
export function isOfPeople(operationId: string): boolean {
  const access = Object.entries<Endpoint>(endpoints).find(([name]) => name === operationId)?.[1].access;
  if (access?.by !== "token") return false;
  return (
    access.reach === "person" ||
    access.scope?.startsWith("members:") === true ||
    operationId === "createChallenge"
  );
}

function spoiledRequests(listed: Listed): fc.Arbitrary<Request> {
  const body = listed.operation.requestBody?.content["application/json"]?.schema ?? null;
  return validRequests(listed).chain((request) => spoiled(request, listed.operation, body));
}

/** Texts of the parameters of one kind, as a client would write them. */
function valuesByName(
  parameters: readonly Parameter[],
  where: Parameter["in"],
): fc.Arbitrary<Record<string, string>> {
  const some = parameters.filter((one) => one.in === where);
  return sparse(
    some.map((one) => [one.name, parameterText(one)] as const),
    some.filter((one) => one.required).map((one) => one.name),
  );
}

function parameterText(parameter: Parameter): fc.Arbitrary<string> {
  const example = fc.constant(String(parameter.example));
  // Nobody makes these up: a client sends back what an answer gave it.
  if (parameter.name === "cursor") return standIn("cursor");
  if (parameter.name === "Gantry-Bookmark") return example;
  if (parameter.name === "If-None-Match") return fc.oneof(example, fc.constant("*"));
  return valuesOf(parameter.schema, parameter.name)
    .filter((value) => !Array.isArray(value) || value.length > 0)
    .map((value) => (Array.isArray(value) ? value.join(",") : String(value)));
}

function queryOf(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Escaped, but for what stands for an id. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%40(\w+)%3A(\d+)/g, "@$1:$2");
}
