import * as z from "zod/mini";

import type { Scope } from "#contract/scopes.ts";
import type { Failure, ResultOf } from "#contract/lib/result.ts";

export { succeed } from "#contract/lib/result.ts";

type ProblemDefinition = { status: number; title: string; when: string };

/** Every refusal that the API can give: one code, one status, one title. Codes never change once published. */
export const problems = {
  malformed_json: { status: 400, title: "Malformed JSON", when: "The body is not valid JSON." },
  missing_token: {
    status: 401,
    title: "Token missing",
    when: "The request carries no bearer token.",
  },
  invalid_token: {
    status: 401,
    title: "Token invalid",
    when: "The bearer token is malformed, unknown, expired or revoked.",
  },
  insufficient_scope: {
    status: 403,
    title: "Scope missing",
    when: "The token lacks the scope that the endpoint needs, is limited to projects where the whole account is concerned, or asks for what is out of its own reach.",
  },
  https_required: {
    status: 403,
    title: "HTTPS required",
    when: "The request came over plain HTTP from another machine, and carries a token or asks for what a server runs.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    when: "The path does not exist, or the account has no object with this id. An id of another account gets the same answer as a missing id.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    when: "The path exists, but not with this method; see Allow.",
  },
  already_live: {
    status: 409,
    title: "Already live",
    when: "The rollback's target is what is live now.",
  },
  deployment_activating: {
    status: 409,
    title: "Deployment activating",
    when: "The deployment is being switched to at this moment; it can be deleted once it has a verdict.",
  },
  deployment_live: {
    status: 409,
    title: "Deployment live",
    when: "The live deployment cannot be deleted.",
  },
  domain_taken: {
    status: 409,
    title: "Domain taken",
    when: "Another project of this installation uses the domain.",
  },
  name_taken: {
    status: 409,
    title: "Name taken",
    when: "The account already has one with this name.",
  },
  no_rollback_target: {
    status: 409,
    title: "No rollback target",
    when: "Nothing older was live, or the named deployment never was.",
  },
  not_cancelable: {
    status: 409,
    title: "Not cancelable",
    when: "The deployment has ended, or its release is being switched to at this moment.",
  },
  queue_full: {
    status: 409,
    title: "Queue full",
    when: "The project already has 100 deployments waiting.",
  },
  too_many: {
    status: 409,
    title: "Too many",
    when: "The account holds as many of these as it can.",
  },
  last_token: {
    status: 409,
    title: "Last token",
    when: "Nothing else in the account could make tokens any more; make another token with tokens:write first.",
  },
  project_busy: {
    status: 409,
    title: "Project busy",
    when: "A deployment of the project runs or waits; cancel it or let it end first.",
  },
  server_in_use: {
    status: 409,
    title: "Server in use",
    when: "Projects are on the server; move or delete them first.",
  },
  protocol_mismatch: {
    status: 409,
    title: "Protocol mismatch",
    when: "The agent speaks another version of the protocol than this installation; install the agent that it serves.",
  },
  log_expired: {
    status: 410,
    title: "Log expired",
    when: "The deployment is there, but its log has been removed after the account's retention.",
  },
  live_changed: {
    status: 412,
    title: "Live deployment changed",
    when: "If-Live names a deployment that is not live any more.",
  },
  body_too_large: {
    status: 413,
    title: "Body too large",
    when: "The body is over the limit of the endpoint (64 KiB; 1 MiB for agents).",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    when: "The body is not sent as application/json.",
  },
  invalid_request: {
    status: 422,
    title: "Invalid request",
    when: "A field of the body, the query or a header is unknown, missing or out of bounds; `errors` says which.",
  },
  idempotency_mismatch: {
    status: 422,
    title: "Idempotency key reused",
    when: "The Idempotency-Key was used within the last 24 hours for another request.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    when: "The token, or the address with wrong tokens, has asked too often; try again after Retry-After.",
  },
  upgrade_required: {
    status: 426,
    title: "Upgrade required",
    when: "The path is a WebSocket, and the request asks for no upgrade to one.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    when: "Gantry failed. The request id finds the cause in the Worker's log.",
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    when: "A part that the answer needs is not there; try again after Retry-After.",
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof problems;

/** One field that is wrong; `pointer` is an RFC 6901 JSON pointer into the body, `?name` a query parameter, or a header's name. */
export const FieldError = z.strictObject({ pointer: z.string(), message: z.string() });
export type FieldError = z.infer<typeof FieldError>;

/** A problem as it is sent (RFC 9457, application/problem+json). */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
  errors: z.optional(z.array(FieldError)),
});
export type Problem = z.infer<typeof Problem>;

/** Why something asked for is not done. A value, never thrown; `detail` is a sentence for the person who asked. */
export type Refusal<Code extends ProblemCode = ProblemCode> = {
  readonly code: Code;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Seconds after which asking again makes sense; left out where it does not. */
  readonly retryAfter?: number;
  /** The scopes that it takes besides the endpoint's. */
  readonly scopes?: readonly Scope[];
};

type Refused<Code extends ProblemCode> = { readonly refusal: Refusal<Code> };

/** The outcome of an operation that can be refused. Every other failure is thrown. */
export type Result<Value, Code extends ProblemCode = ProblemCode> = ResultOf<Value, Refused<Code>>;

/** A refused `Result`. @param detail a sentence for the person who sent the request: what is wrong, what to do */
export function refuse<Code extends ProblemCode>(
  code: Code,
  detail: string,
  errors?: readonly FieldError[],
): Failure<Refused<Code>> {
  return { ok: false, refusal: errors === undefined ? { code, detail } : { code, detail, errors } };
}
