import type * as z from "zod/mini";

import type { Endpoint, OutputOf } from "#contract/endpoints/endpoint.ts";
import { type ClientEndpoints, clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import type { AnyRequest, BodyBytes, Transport } from "#client/request.ts";
import { type ClientResult, type Send, send } from "#client/send.ts";

type Nothing = Record<string, never>;

/** A property that is optional if all of its fields are optional. */
type Given<Name extends string, Value> = Nothing extends Value
  ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

type QueryOf<Schema extends z.ZodMiniType | null> = Schema extends z.ZodMiniType
  ? { readonly [Key in keyof z.input<Schema>]: z.input<Schema>[Key] | number }
  : Record<string, never>;

/** A request: path parameters, query and body, typed as the input of the endpoint's schemas. */
export type RequestOf<Of extends Endpoint> = Given<"params", z.input<Of["params"]>> &
  Given<"query", QueryOf<Of["query"]>> &
  (Of["body"] extends z.ZodMiniType ? Given<"body", z.input<Of["body"]>> : unknown) &
  (Of["takes"] extends "bytes" ? { readonly body: BodyBytes } : unknown) & {
    /** Such as `If-Live`. */
    readonly headers?: Readonly<Record<string, string>>;
  };

type ArgumentsOf<Request> = Nothing extends Request ? [request?: Request] : [request: Request];

type Table = Readonly<Record<string, Endpoint>>;

/** A method for each operation of an endpoint table. The methods never throw: they return a problem. */
export type ClientOf<Of extends Table> = {
  readonly [Name in keyof Of]: (
    ...args: ArgumentsOf<RequestOf<Of[Name]>>
  ) => Promise<ClientResult<OutputOf<Of[Name]["success"]["body"]>>>;
};
export type Client = ClientOf<ClientEndpoints>;

/**
 * Creates a client of the API from the endpoint table.
 * @param how how to send a request, such as `sendWithRetry(…)`; by default each is sent once
 */
export function createClient(transport: Transport, how?: Send): Client {
  return createClientOf(clientEndpoints, transport, how);
}

/** As `createClient`, for endpoints that not every client needs. */
// Overloaded because TypeScript cannot derive from a loop over the table that each of its names gets a method.
export function createClientOf<const Of extends Table>(
  table: Of,
  transport: Transport,
  how?: Send,
): ClientOf<Of>;
export function createClientOf(table: Table, transport: Transport, how: Send = send): object {
  const methods = Object.entries<Endpoint>(table).map(([name, endpoint]) => {
    const method = (request: AnyRequest = {}) => how(endpoint, request, transport);
    return [name, method] as const;
  });
  return Object.fromEntries(methods);
}
