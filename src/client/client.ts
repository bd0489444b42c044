import type * as z from "zod/mini";

import type { Endpoint, OutputOf } from "#contract/endpoints/endpoint.ts";
import {
  type ClientEndpoints,
  clientEndpoints,
  type ClientOperation,
} from "#contract/endpoints/client-endpoints.ts";
import type { AnyRequest, Transport } from "#client/request.ts";
import { type ClientResult, type Send, send } from "#client/send.ts";

type Nothing = Record<string, never>;

/** A property that may be left out where nothing in it is required. */
type Given<Name extends string, Value> = Nothing extends Value
  ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

type QueryOf<Schema extends z.ZodMiniType | null> = Schema extends z.ZodMiniType
  ? { readonly [Key in keyof z.input<Schema>]: z.input<Schema>[Key] | number }
  : Record<string, never>;

/** What a caller says: the parameters of the path, the query and the body as the endpoint's schemas take them. */
export type RequestOf<Of extends Endpoint> = Given<"params", z.input<Of["params"]>> &
  Given<"query", QueryOf<Of["query"]>> &
  (Of["body"] extends z.ZodMiniType ? Given<"body", z.input<Of["body"]>> : unknown) & {
    /** Such as `If-Live`. */
    readonly headers?: Readonly<Record<string, string>>;
  };

type ArgumentsOf<Request> = Nothing extends Request ? [request?: Request] : [request: Request];

/** A method for each operation of the endpoint table. None of them throws: what goes wrong is a problem. */
export type Client = {
  readonly [Name in ClientOperation]: (
    ...args: ArgumentsOf<RequestOf<ClientEndpoints[Name]>>
  ) => Promise<ClientResult<OutputOf<ClientEndpoints[Name]["success"]["body"]>>>;
};

/**
 * A caller of the whole interface, made from the endpoint table.
 * @param how `sendPatiently`, for one; each request is sent once where it is left out
 */
// Overloaded because TypeScript cannot see that a loop over the table gives each of its names a method.
export function createClient(transport: Transport, how?: Send): Client;
export function createClient(transport: Transport, how: Send = send): object {
  const methods = Object.entries<Endpoint>(clientEndpoints).map(([name, endpoint]) => {
    const method = (request: AnyRequest = {}) => how(endpoint, request, transport);
    return [name, method] as const;
  });
  return Object.fromEntries(methods);
}
