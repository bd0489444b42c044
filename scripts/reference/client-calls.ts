import { join } from "node:path";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { repeatsOf } from "#contract/repeatable.ts";

import { root } from "../shared/root.ts";
import { inlineSchema } from "./openapi/schemas.ts";

export const clientCallsPath = join(root, "src", "library", "calls.ts");

/** What src/library/calls.ts says of each endpoint. */
export function clientCalls(): Readonly<Record<string, unknown>> {
  return mapValues<string, Endpoint, unknown>(userEndpoints, (endpoint) => {
    const { method, path } = endpoint;
    return { method, path, repeats: repeatsOf(endpoint), ...rowsOf(endpoint) };
  });
}

/** The text of src/library/calls.ts. */
export function clientCallsText(): string {
  const rows = Object.entries(clientCalls()).map(([name, call]) => `  ${name}: ${JSON.stringify(call)},\n`);
  return `// Generated from user-endpoints.ts by \`npm run reference\`. If a line is missing or old, it does not compile.

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import type { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import type { Repeats } from "#contract/repeatable.ts";

type Table = typeof userEndpoints;

/** What sending a request needs to know of an endpoint. \`rows\`: of a list, the field that has the rows of a page. */
export type Call = Pick<Endpoint, "method" | "path"> & { readonly repeats: Repeats; readonly rows?: string };

/** Every endpoint for users of the API, without its schemas. */
export const calls: {
  readonly [Name in keyof Table]: Pick<Table[Name], "method" | "path"> & Call;
} = {
${rows.join("")}};
`;
}

/** The field of the rows, if the endpoint returns pages. @throws if it could be one of several */
function rowsOf({ query, success }: Endpoint): { readonly rows?: string } {
  const parameters = query === null ? {} : inlineSchema(query, "input").properties;
  if (parameters?.["cursor"] === undefined || success.body === null) return {};
  const fields = Object.entries(inlineSchema(success.body, "output").properties ?? {});
  const [rows, ...others] = fields.filter(([, { type }]) => type === "array").map(([name]) => name);
  if (rows === undefined || others.length > 0) throw new Error(`Which of ${others.join(", ")} has the rows?`);
  return { rows };
}
