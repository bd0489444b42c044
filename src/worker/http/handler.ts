import type { Endpoint, OutputOf } from "#contract/endpoints/endpoint.ts";
import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { AgentContext, Context, OpenContext } from "#worker/context.ts";

export type MediaTypeOf<Of extends Endpoint> = "application/json" | Of["alsoAs"][number];

/** A request that has been checked against its endpoint. */
export type Input<Of extends Endpoint> = {
  readonly params: OutputOf<Of["params"]>;
  readonly query: OutputOf<Of["query"]>;
  readonly body: OutputOf<Of["body"]>;
  /** The header If-Live, at the endpoints that can answer `live_changed`. */
  readonly ifLive: DeploymentId | null;
  /** The header Last-Event-ID, at the endpoints that can be followed. */
  readonly lastEventId: number | null;
  /** What the client would rather have, of what the endpoint can give. */
  readonly mediaType: MediaTypeOf<Of>;
  /** What was asked for, at the address where this installation is reached. */
  readonly url: URL;
};

/** What a handler gives back: the body that its endpoint promises, or a whole response for another media type. */
export type Answer<Body> =
  | { readonly body: Body; readonly headers?: Readonly<Record<string, string>> }
  | { readonly response: Response };

/** What a handler may refuse with: the problems that its endpoint lists, and those that any can give. */
type RefusalOf<Of extends Endpoint> =
  | Of["problems"][number]
  | "insufficient_scope"
  | "invalid_request"
  | "not_found"
  | "unavailable";

export type Handler<Of extends Endpoint, Caller> = (
  context: Caller,
  input: Input<Of>,
) => Promise<Result<Answer<OutputOf<Of["success"]["body"]>>, RefusalOf<Of>>>;

export type Handlers<Names extends OperationName, Caller> = {
  readonly [Name in Names]: Handler<Endpoints[Name], Caller>;
};

type CalledBy<By extends Endpoint["access"]["by"]> = {
  [Name in OperationName]: Endpoints[Name]["access"]["by"] extends By ? Name : never;
}[OperationName];

export type TokenHandlers = Handlers<CalledBy<"token">, Context>;
export type AgentHandlers = Handlers<CalledBy<"agent">, AgentContext>;
export type OpenHandlers = Handlers<CalledBy<"none">, OpenContext>;
