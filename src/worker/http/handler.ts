import type { Endpoint, OutputOf } from "#contract/endpoints/endpoint.ts";
import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { Upload } from "#worker/http/read-upload.ts";

export type MediaTypeOf<Of extends Endpoint> = "application/json" | Of["alsoAs"][number];

/** A request that was validated against its endpoint. */
export type Input<Of extends Endpoint> = {
  readonly params: OutputOf<Of["params"]>;
  readonly query: OutputOf<Of["query"]>;
  readonly body: OutputOf<Of["body"]>;
  /** The body of an endpoint that takes bytes; null for others. */
  readonly upload: Upload | null;
  /** The query and the body as the client sent them, without defaults. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** The header If-Live, for endpoints that can refuse with `live_changed`. */
  readonly ifLive: DeploymentId | null;
  /** The header Last-Event-ID, for endpoints with an event stream. */
  readonly lastEventId: number | null;
  /** The endpoint's media type that the client prefers. */
  readonly mediaType: MediaTypeOf<Of>;
  /** The request's URL at the public address of this installation. */
  readonly url: string;
};

/** A handler's result: the endpoint's body, or a complete response for another media type. */
export type Answer<Body> =
  | { readonly body: Body; readonly headers?: Readonly<Record<string, string>> }
  | { readonly response: Response };

/** The codes that a handler may refuse with: the endpoint's own codes, and the codes of every endpoint. */
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
