import { join } from "node:path";

import { endpoints } from "#contract/endpoints/endpoints.ts";

import { root } from "../shared/root.ts";

export const requestLinesPath = join(root, "src", "contract", "endpoints", "request-lines.ts");

/** The text of src/contract/endpoints/request-lines.ts. */
export function requestLinesText(): string {
  const rows = Object.entries(endpoints).map(
    ([name, { method, path }]) => `  ${name}: ${JSON.stringify({ method, path })},\n`,
  );
  return `// Generated from endpoints.ts by \`npm run reference\`. If a line is missing or old, it does not compile.

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";

/** The method and the path of an endpoint. */
export type RequestLine = Pick<Endpoint, "method" | "path">;

/** The method and the path of every endpoint, for code that does not need the schemas of the table. */
export const requestLines: {
  readonly [Name in OperationName]: Pick<Endpoints[Name], keyof RequestLine>;
} = {
${rows.join("")}};
`;
}
