import { isProblemCode } from "#contract/endpoints/endpoint-facts.ts";
import { type ProblemCode, problems } from "#contract/problems.ts";

import type { TriedOperation } from "#contract/reference/page-data.ts";

import type { Operation, Parameter, Response } from "../openapi/types.ts";
import { jsonBlock, textBlock } from "./code.ts";
import { type Html, html } from "./escape.ts";
import { field, fieldList } from "./fields.ts";
import { inline, markdown } from "./markdown.ts";
import { type Document, isTriable } from "./document.ts";
import { requestSamples, sampleGroup } from "./samples.ts";
import { problemCauses } from "#contract/reference/problem-causes.ts";

/** Problems that nearly every operation can return. They are listed without an explanation. */
const COMMON = new Set<ProblemCode>([
  ...(["malformed_json", "missing_token", "invalid_token", "insufficient_scope", "not_found"] as const),
  ...(["body_too_large", "unsupported_media_type", "invalid_request", "idempotency_mismatch"] as const),
  ...(["rate_limited", "internal", "unavailable"] as const),
]);

export function operationSection(
  document: Document,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const success = document.successOf(operation);
  return html`<article id="${operation.operationId}">
    <div class="text">
      <h2><a href="#${operation.operationId}">${operation.summary}</a></h2>
      <p class="route">
        <span class="method ${method}">${method.toUpperCase()}</span> <code>${route(path)}</code>
        ${scopesOf(operation).map((scope) => html`<span class="scope" title="The scope that the token needs">${scope}</span>`)}
      </p>
      ${markdown(operation.description)} ${parameterSection(document, operation, "path")}
      ${parameterSection(document, operation, "query")} ${bodySection(document, operation)}
      ${parameterSection(document, operation, "header")} ${responseSection(document, success)}
      ${problemSection(document, operation)}
    </div>
    <div class="examples">${examples(document, method, path, operation, success)}</div>
  </article>`;
}

function scopesOf({ security }: Operation): readonly string[] {
  return security.flatMap((one) => one["token"] ?? []);
}

function route(path: string): Html[] {
  return path.split(/(\{\w+\})/).map((part) => (part.startsWith("{") ? html`<b>${part}</b>` : html`${part}`));
}

const titles = { path: "Path", query: "Query", header: "Headers" } as const;

function parameterSection(
  document: Document,
  { parameters }: Operation,
  where: Parameter["in"],
): Html | null {
  const some = parameters.map((one) => document.parameter(one)).filter((one) => one.in === where);
  if (some.length === 0) return null;
  return html`<h3>${titles[where]}</h3>
    <dl class="fields">${some.map((one) => parameterField(document, one))}</dl>`;
}

function parameterField({ schemas }: Document, parameter: Parameter): Html {
  const schema = { ...parameter.schema, description: parameter.description };
  return field(schemas, parameter.name, schema, parameter.required, true);
}

function bodySection({ schemas }: Document, { requestBody }: Operation): Html | null {
  const schema = requestBody?.content["application/json"]?.schema;
  const fields = schema === undefined ? null : fieldList(schemas, schema, true);
  return fields === null
    ? null
    : html`<h3>Body</h3>
        ${fields}`;
}

function responseSection({ schemas }: Document, { status, response }: Success): Html {
  const schema = response.content?.["application/json"]?.schema;
  const fields = schema === undefined ? null : fieldList(schemas, schema, false);
  const headers = Object.keys(response.headers ?? {}).filter((name) => !EVERYWHERE.has(name));
  return html`<h3>Response <span class="status">${status}</span></h3>
    ${fields ?? html`<p>No body.</p>`}
    ${
      headers.length === 0
        ? null
        : html`<p class="headers">
            Headers: ${headers.map((name, at) => html`${at === 0 ? "" : ", "}<code>${name}</code>`)}.
          </p>`
    }`;
}

const EVERYWHERE = new Set([
  "X-Request-Id",
  "RateLimit-Policy",
  "Gantry-Bookmark",
  "ETag",
  "Idempotent-Replayed",
]);

function problemSection(document: Document, operation: Operation): Html {
  const codes = document.codesOf(operation).filter((code) => isProblemCode(code));
  const own = codes.filter((code) => !COMMON.has(code));
  const common = codes.filter((code) => COMMON.has(code));
  return html`<h3>Problems</h3>
    ${own.length === 0 ? null : html`<dl class="problems">${own.map(problemEntry)}</dl>`}
    <p class="common">
      ${own.length === 0 ? "Common problems: " : "And common problems: "}${common.map(
        (code, at) => html`${at === 0 ? "" : ", "}${problemLink(code)}`,
      )}.
    </p>`;
}

/** A problem in a list: its status, its code and when it is returned. */
export function problemEntry(code: ProblemCode): Html {
  return html`<div>
    <dt><span class="status">${problems[code].status}</span> ${problemLink(code)}</dt>
    <dd>${inline(problemCauses[code])}</dd>
  </div>`;
}

function problemLink(code: ProblemCode): Html {
  return html`<a href="/docs/problems/${code}"><code>${code}</code></a>`;
}

type Success = { readonly status: string; readonly response: Response };

function examples(
  document: Document,
  method: string,
  path: string,
  operation: Operation,
  { status, response }: Success,
): Html {
  const parameters = operation.parameters.map((one) => document.parameter(one));
  const example = operation.requestBody?.content["application/json"]?.example ?? null;
  const samples = requestSamples({
    method: method.toUpperCase(),
    path: filled(path, parameters),
    hasToken: operation.security.length > 0,
    body: example,
  });
  const tried: TriedOperation = {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    takesToken: operation.security.length > 0,
    parameters: parameters
      .filter(({ name }) => !NOT_TRIED.has(name))
      .map((one) => ({
        name: one.name,
        in: one.in,
        required: one.required,
        example: exampleText(one.example),
      })),
    body: example === null ? null : JSON.stringify(example, null, 2),
  };
  const json = response.content?.["application/json"]?.example;
  const texts = Object.entries(response.content ?? {}).flatMap(([type, media]) =>
    media["x-text"] === undefined ? [] : [[type, media["x-text"]] as const],
  );
  return html`<p class="label">Request</p>
    ${sampleGroup(operation.operationId, samples)}
    ${
      isTriable(operation)
        ? html`<details class="try" data-operation="${JSON.stringify(tried)}">
            <summary>Try it</summary>
            <p>Needs JavaScript.</p>
          </details>`
        : null
    }
    <p class="label">Response, ${status}</p>
    ${json === undefined ? html`<p class="empty">No body</p>` : jsonBlock(json)}
    ${texts.map(
      ([type, text]) =>
        html`<p class="label">With Accept: ${type}</p>
          ${textBlock(text)}`,
    )}`;
}

/** Headers that repeat what an earlier response said, which a single request does not need. */
const NOT_TRIED = new Set(["If-None-Match", "Gantry-Bookmark", "Last-Event-ID"]);

/** The path with examples for its parameters, and for the parameters of the query that are required. */
function filled(path: string, parameters: readonly Parameter[]): string {
  const query = parameters.filter((one) => one.in === "query" && one.required);
  const start = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters.find((one) => one.in === "path" && one.name === name)?.example;
    return value === undefined ? whole : exampleText(value);
  });
  return (
    start +
    query.map(({ name, example }, at) => `${at === 0 ? "?" : "&"}${name}=${exampleText(example)}`).join("")
  );
}

function exampleText(example: unknown): string {
  if (Array.isArray(example)) return example.map(exampleText).join(",");
  return typeof example === "string" ? example : JSON.stringify(example);
}
