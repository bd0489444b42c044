import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import type { AgentRequestContext, Context, OpenContext } from "#worker/context.ts";
import type { Handler, Handlers } from "#worker/http/handler.ts";

/** An endpoint's row of the table, and its handler. */
export type Route<Of extends Endpoint, Caller> = {
  readonly endpoint: Of;
  readonly handler: Handler<Of, Caller>;
};

/** Finds the route of each operation when it is called. The method and the path are known before (`requestLines`). */
export type Routes<Names extends OperationName, Caller> = {
  readonly [Name in Names]: () => Promise<Route<Endpoints[Name], Caller>>;
};

type CalledBy<By extends Endpoint["access"]["by"]> = {
  [Name in OperationName]: Endpoints[Name]["access"]["by"] extends By ? Name : never;
}[OperationName];

type TokenOperation = CalledBy<"token">;
type AgentOperation = CalledBy<"agent">;
type OpenOperation = CalledBy<"none">;

export type TokenRoutes = Routes<TokenOperation, Context>;
export type AgentRoutes = Routes<AgentOperation, AgentRequestContext>;
export type OpenRoutes = Routes<OpenOperation, OpenContext>;

/** Makes the routes of some handlers. `rows` has their rows of the table, and may have more. */
type MakeRoutes<Operation extends OperationName, Caller> = <Names extends Operation>(
  rows: Readonly<Pick<Endpoints, NoInfer<Names>>>,
  handlers: Handlers<Names, Caller>,
) => Routes<Names, Caller>;

/** For API tokens and sessions. */
export const forTokens: MakeRoutes<TokenOperation, Context> = routesOf;
/** For agents with their credential. */
export const forAgents: MakeRoutes<AgentOperation, AgentRequestContext> = routesOf;
/** For endpoints without authentication. */
export const forAnyone: MakeRoutes<OpenOperation, OpenContext> = routesOf;

function routesOf<Names extends OperationName, Caller>(
  rows: Readonly<Pick<Endpoints, Names>>,
  handlers: Handlers<Names, Caller>,
): Routes<Names, Caller>;
// An overload, because TypeScript does not follow from row to handler while `Names` is open.
function routesOf(
  rows: Readonly<Record<string, Endpoint>>,
  handlers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, () => Promise<unknown>>> {
  return mapValues(handlers, (handler, name) => () => Promise.resolve({ endpoint: rows[name], handler }));
}
