import type { Listed } from "../../../scripts/reference/html/document.ts";
import { errorsOf } from "./json-schema.ts";
import { document } from "./open-api.ts";
import type { Request } from "./requests.ts";

/** What every server sends, and nothing needs to be said of. */
const UNSPOKEN = new Set([
  ...[
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "date",
    "vary",
    "cache-control",
  ],
  ...["access-control-allow-origin", "access-control-expose-headers", "connection", "keep-alive"],
]);

export type Verdict = {
  /** The answer's status, and the code of its problem. */
  readonly kind: string;
  /** What is not as the document says; nothing where all of it is. */
  readonly faults: readonly string[];
};

/** Compares an answer with the document. */
export async function undocumented(listed: Listed, request: Request, answer: Response): Promise<Verdict> {
  const text = await answer.text();
  const code = /"code":"(\w+)"/.exec(answer.status >= 400 ? text : "")?.[1];
  const kind = code === undefined ? String(answer.status) : `${answer.status} ${code}`;
  return { kind, faults: faultsOf(listed, request, answer, text) };
}

function faultsOf({ operation }: Listed, request: Request, answer: Response, text: string): string[] {
  const one = operation.responses[String(answer.status)];
  if (answer.status >= 500) return [`${answer.status}: ${text}`];
  if (one === undefined) return [`the status ${answer.status} is not documented: ${text}`];
  const faults: string[] = [];
  if (answer.ok && !request.isAsDocumented) faults.push("what the document forbids is taken");
  const { headers = {}, content = {} } = document.response(one);
  const named = new Map(Object.entries(headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]));
  for (const name of answer.headers.keys())
    if (!named.has(name) && !UNSPOKEN.has(name)) faults.push(`the header ${name} is not documented`);
  for (const [name, reference] of named)
    if (document.header({ $ref: reference }).required && !answer.headers.has(name))
      faults.push(`the header ${name} is missing`);

  const type = answer.headers.get("content-type")?.split(";")[0] ?? null;
  const media = type === null ? undefined : content[type];
  if (type === null)
    return text === "" && Object.keys(content).length === 0 ? faults : [...faults, "it has no type"];
  if (media === undefined) return [...faults, `the type ${type} is not documented: ${text}`];
  const value: unknown = type === "text/plain" ? text : JSON.parse(text);
  return [...faults, ...errorsOf(media.schema, value, "answered").map((error) => `${error} in ${text}`)];
}
