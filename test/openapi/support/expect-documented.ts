import { createParser } from "eventsource-parser";

import type { Listed } from "../../../scripts/reference/html/document.ts";
import { errorsOf } from "./json-schema.ts";
import { document } from "./open-api.ts";
import type { Request } from "./request.ts";

/** Headers that every server sends, and that the document need not mention. */
const USUAL_HEADERS = new Set([
  ...[
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "date",
    "vary",
    "cache-control",
    "x-accel-buffering",
    "x-content-type-options",
    "strict-transport-security",
  ],
  ...["access-control-allow-origin", "access-control-expose-headers", "connection", "keep-alive"],
]);

export type Verdict = {
  /** The answer's status, and the code of its problem. */
  readonly kind: string;
  /** Each difference from the document; empty if there is none. */
  readonly faults: readonly string[];
};

/** Compares an answer with the document. @param text its body */
export function undocumented(listed: Listed, request: Request, answer: Response, text: string): Verdict {
  const code = /"code":"(\w+)"/.exec(answer.status >= 400 ? text : "")?.[1];
  const kind = code === undefined ? String(answer.status) : `${answer.status} ${code}`;
  return { kind, faults: faultsOf(listed, request, answer, text) };
}

function faultsOf({ operation }: Listed, request: Request, answer: Response, text: string): string[] {
  const one = operation.responses[String(answer.status)];
  // Nobody serves the issuers of random requests.
  const isExpected = one !== undefined && text.includes('"code":"provider_unreachable"');
  if (answer.status >= 500 && !isExpected) return [`${answer.status}: ${text}`];
  if (one === undefined) return [`the status ${answer.status} is not documented: ${text}`];
  const faults: string[] = [];
  if (answer.ok && !request.isAsDocumented) faults.push("a request that the document forbids is accepted");
  const { headers = {}, content = {} } = document.response(one);
  const named = new Map(Object.entries(headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]));
  for (const name of answer.headers.keys())
    if (!named.has(name) && !USUAL_HEADERS.has(name)) faults.push(`the header ${name} is not documented`);
  for (const [name, reference] of named)
    if (document.header({ $ref: reference }).required && !answer.headers.has(name))
      faults.push(`the header ${name} is missing`);

  const type = answer.headers.get("content-type")?.split(";")[0] ?? null;
  const media = type === null ? undefined : content[type];
  if (type === null)
    return text === "" && Object.keys(content).length === 0
      ? faults
      : [...faults, "the content type is missing"];
  if (media === undefined) return [...faults, `the type ${type} is not documented: ${text}`];
  const errors = valuesIn(type, text).flatMap((value) => errorsOf(media.schema, value, "answered"));
  return [...faults, ...errors.map((error) => `${error} in ${text}`)];
}

/** The values that the schema of a media type describes: the whole body, each line, or the data of each event. */
function valuesIn(type: string, text: string): unknown[] {
  if (type === "text/plain") return [text];
  if (type === "application/x-ndjson") return text.split("\n").slice(0, -1).map(parsed);
  if (type !== "text/event-stream") return [parsed(text)];
  const values: unknown[] = [];
  createParser({ onEvent: ({ data }) => values.push(parsed(data)) }).feed(text);
  return values;
}

function parsed(json: string): unknown {
  return JSON.parse(json);
}
