import { isProblemCode } from "#contract/endpoints/endpoint-facts.ts";
import { type ProblemCode, problems } from "#contract/problems.ts";

import type { Operation, Parameter, Reference, Response } from "../openapi/types.ts";
import { curl, jsonBlock, textBlock } from "./code.ts";
import { type Html, html } from "./escape.ts";
import { field, fieldList } from "./fields.ts";
import { inline, markdown } from "./markdown.ts";
import type { Document } from "./document.ts";
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
      <h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
      <p class="route">
        <span class="method ${method}">${method.toUpperCase()}</span> <code>${route(path)}</code>
      </p>
      ${markdown(operation.description)} ${parameterSection(document, operation, "path")}
      ${parameterSection(document, operation, "query")} ${bodySection(document, operation)}
      ${parameterSection(document, operation, "header")} ${responseSection(document, success)}
      ${problemSection(document, operation)}
    </div>
    <div class="examples">${examples(document, method, path, operation, success)}</div>
  </article>`;
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
  return html`<h4>${titles[where]}</h4>
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
    : html`<h4>Body</h4>
        ${fields}`;
}

function responseSection({ schemas }: Document, { status, response }: Success): Html {
  const schema = response.content?.["application/json"]?.schema;
  const fields = schema === undefined ? null : fieldList(schemas, schema, false);
  const headers = Object.keys(response.headers ?? {}).filter((name) => !EVERYWHERE.has(name));
  return html`<h4>Response <span class="status">${status}</span></h4>
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
  return html`<h4>Problems</h4>
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
  const request = curl({
    method: method.toUpperCase(),
    path: filled(document, path, operation.parameters),
    hasToken: operation.security.length > 0,
    body: operation.requestBody?.content["application/json"]?.example ?? null,
  });
  const json = response.content?.["application/json"]?.example;
  const texts = Object.entries(response.content ?? {}).flatMap(([type, media]) =>
    media["x-text"] === undefined ? [] : [[type, media["x-text"]] as const],
  );
  return html`<p class="label">Request</p>
    ${textBlock(request)}
    <p class="label">Response, ${status}</p>
    ${json === undefined ? textBlock("") : jsonBlock(json)}
    ${texts.map(
      ([type, text]) =>
        html`<p class="label">With Accept: ${type}</p>
          ${textBlock(text)}`,
    )}`;
}

function filled(document: Document, path: string, parameters: readonly (Parameter | Reference)[]): string {
  const all = parameters.map((one) => document.parameter(one));
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = all.find((one) => one.in === "path" && one.name === name)?.example;
    return typeof value === "string" ? value : whole;
  });
}
