import * as z from "zod/mini";

import type { Scope } from "#contract/scopes.ts";
import type { Failure, ResultOf } from "#contract/lib/result.ts";

export { succeed } from "#contract/lib/result.ts";

type ProblemDefinition = { status: number; title: string; when: string };

/** Every error code of the API, with its status and title. Published codes never change. */
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
    when: "The token lacks the required scope, is limited to projects, or asks for permissions that it does not have.",
  },
  https_required: {
    status: 403,
    title: "HTTPS required",
    when: "The request was sent over plain HTTP from another machine. The API and the agent's downloads require HTTPS.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    when: "The path does not exist, or the account has no object with this id. An id of another account gets the same answer as a missing id.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    when: "The path does not support this method. `Allow` lists the supported ones.",
  },
  already_live: {
    status: 409,
    title: "Already live",
    when: "The target of the rollback is the live deployment.",
  },
  deployment_activating: {
    status: 409,
    title: "Deployment activating",
    when: "The server is activating the deployment. It can be deleted when it has ended.",
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
    when: "The account already has an object of this type with this name.",
  },
  no_seal_key: {
    status: 409,
    title: "No seal key",
    when: "The server's agent has not connected yet or is too old, so nothing can be sealed for it.",
  },
  no_rollback_target: {
    status: 409,
    title: "No rollback target",
    when: "No earlier deployment was live, or the named deployment was never live or was deleted.",
  },
  not_live: {
    status: 409,
    title: "Not live",
    when: "The project has no live deployment, so there is nothing to restart or to apply settings to.",
  },
  no_ingress: {
    status: 409,
    title: "No ingress",
    when: "The project's server has no ingress of Gantry's, so Gantry cannot hold requests.",
  },
  refused_by_policy: {
    status: 409,
    title: "Refused by policy",
    when: "The policy of the project's server does not allow the one-off command or cron job. `detail` names the rule.",
  },
  not_cancelable: {
    status: 409,
    title: "Not cancelable",
    when: "The deployment has ended, or the server is activating it.",
  },
  queue_full: {
    status: 409,
    title: "Queue full",
    when: "The project already has 100 deployments in its queue.",
  },
  too_many: {
    status: 409,
    title: "Too many",
    when: "The account has reached the maximum number of objects of this type, or the project the maximum number or size of variables.",
  },
  last_token: {
    status: 409,
    title: "Last token",
    when: "The account's only remaining token that can create all other tokens cannot be revoked.",
  },
  project_busy: {
    status: 409,
    title: "Project busy",
    when: "A deployment of the project is running or queued.",
  },
  revision_conflict: {
    status: 409,
    title: "Revision conflict",
    when: "The variables were changed since the `revision` in the request.",
  },
  secrets_not_sealed: {
    status: 409,
    title: "Secrets not sealed",
    when: "Secrets are not sealed for the current key of the project's server, so its agent cannot open them. `detail` names them.",
  },
  server_in_use: {
    status: 409,
    title: "Server in use",
    when: "Projects are on the server, or the server still serves a project that was moved.",
  },
  protocol_mismatch: {
    status: 409,
    title: "Protocol mismatch",
    when: "The agent uses another protocol version than this installation.",
  },
  server_offline: {
    status: 409,
    title: "Server offline",
    when: "The agent of the project's server is not connected, and the answer has to come from it.",
  },
  agent_outdated: {
    status: 409,
    title: "Agent outdated",
    when: "The agent of the project's server is too old to answer this request.",
  },
  log_expired: {
    status: 410,
    title: "Log expired",
    when: "The log was removed after the account's log retention time.",
  },
  live_changed: {
    status: 412,
    title: "Live deployment changed",
    when: "The deployment in `If-Live` is no longer the live one.",
  },
  body_too_large: {
    status: 413,
    title: "Body too large",
    when: "The body exceeds the limit of the endpoint (64 KiB; 1 MiB for variables and for agents).",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    when: "The `Content-Type` of the body is not `application/json`.",
  },
  invalid_request: {
    status: 422,
    title: "Invalid request",
    when: "A field of the body, the query or a header is unknown, missing or invalid. `errors` lists the fields.",
  },
  idempotency_mismatch: {
    status: 422,
    title: "Idempotency key reused",
    when: "The `Idempotency-Key` was used for another request in the last 24 hours.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    when: "The token sent too many requests, or the address sent too many invalid tokens.",
  },
  upgrade_required: {
    status: 426,
    title: "Upgrade required",
    when: "The path is a WebSocket endpoint, and the request has no upgrade header.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    when: "Gantry failed with an internal error. The Worker's log has the cause, with the request id.",
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    when: "A component that the request needs is unavailable. `Retry-After` says when to try again.",
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof problems;

/** An error in one field. `pointer`: a JSON pointer into the body (RFC 6901), `?name` for a query parameter, or a header's name. */
export const FieldError = z.strictObject({ pointer: z.string(), message: z.string() });
export type FieldError = z.infer<typeof FieldError>;

/** An error response (RFC 9457, application/problem+json). */
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

/** Why a request is refused. A value, never thrown. `detail` is a sentence for the person who sent the request. */
export type Refusal<Code extends ProblemCode = ProblemCode> = {
  readonly code: Code;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Seconds after which a retry can succeed. Absent if a retry cannot help. */
  readonly retryAfter?: number;
  /** The scopes that the request needs in addition to the scope of the endpoint. */
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
