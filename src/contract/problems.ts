import * as z from "zod/mini";

import type { Scope } from "#contract/scopes.ts";
import type { Failure, ResultOf } from "#contract/lib/result.ts";

export { succeed } from "#contract/lib/result.ts";

type ProblemDefinition = { status: number; title: string };

/** Every error code of the API, with its status and title. Published codes never change. */
export const problems = {
  malformed_json: { status: 400, title: "Malformed JSON" },
  invalid_identity_token: { status: 400, title: "Identity token invalid" },
  missing_token: { status: 401, title: "Token missing" },
  invalid_token: { status: 401, title: "Token invalid" },
  invalid_signature: { status: 401, title: "Signature invalid" },
  insufficient_scope: { status: 403, title: "Scope missing" },
  invalid_passkey: { status: 403, title: "Passkey refused" },
  person_required: { status: 403, title: "Person required" },
  reauthentication_required: { status: 403, title: "Confirmation required" },
  sign_in_refused: { status: 403, title: "Sign-in refused" },
  sso_required: { status: 403, title: "Single sign-on required" },
  own_deployment: { status: 403, title: "Own deployment" },
  https_required: { status: 403, title: "HTTPS required" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  already_live: { status: 409, title: "Already live" },
  deployment_activating: { status: 409, title: "Deployment activating" },
  deployment_live: { status: 409, title: "Deployment live" },
  email_taken: { status: 409, title: "E-mail address taken" },
  host_name_required: { status: 409, title: "Host name required" },
  last_owner: { status: 409, title: "Last owner" },
  last_passkey: { status: 409, title: "Last passkey" },
  owner_exists: { status: 409, title: "Owner exists" },
  domain_taken: { status: 409, title: "Domain taken" },
  hook_exists: { status: 409, title: "Hook exists" },
  name_taken: { status: 409, title: "Name taken" },
  no_seal_key: { status: 409, title: "No seal key" },
  no_rollback_target: { status: 409, title: "No rollback target" },
  not_live: { status: 409, title: "Not live" },
  no_ingress: { status: 409, title: "No ingress" },
  refused_by_policy: { status: 409, title: "Refused by policy" },
  artifact_not_allowed: { status: 409, title: "Artifact not allowed" },
  artifact_incomplete: { status: 409, title: "Artifact incomplete" },
  artifact_quota: { status: 409, title: "Artifact quota" },
  artifact_unreadable: { status: 409, title: "Artifact unreadable" },
  not_approvable: { status: 409, title: "Not approvable" },
  commit_unknown: { status: 409, title: "Commit unknown" },
  commit_changed: { status: 409, title: "Commit changed" },
  hold_changed: { status: 409, title: "Hold changed" },
  not_cancelable: { status: 409, title: "Not cancelable" },
  not_replayable: { status: 409, title: "Not replayable" },
  queue_full: { status: 409, title: "Queue full" },
  too_many: { status: 409, title: "Too many" },
  last_token: { status: 409, title: "Last token" },
  project_busy: { status: 409, title: "Project busy" },
  revision_conflict: { status: 409, title: "Revision conflict" },
  sign_in_pending: { status: 409, title: "Sign-in pending" },
  secrets_not_sealed: { status: 409, title: "Secrets not sealed" },
  webhook_disabled: { status: 409, title: "Webhook disabled" },
  server_in_use: { status: 409, title: "Server in use" },
  protocol_mismatch: { status: 409, title: "Protocol mismatch" },
  server_offline: { status: 409, title: "Server offline" },
  containers_missing: { status: 409, title: "Containers missing" },
  agent_outdated: { status: 409, title: "Agent outdated" },
  log_expired: { status: 410, title: "Log expired" },
  live_changed: { status: 412, title: "Live deployment changed" },
  body_too_large: { status: 413, title: "Body too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  invalid_request: { status: 422, title: "Invalid request" },
  idempotency_mismatch: { status: 422, title: "Idempotency key reused" },
  rate_limited: { status: 429, title: "Too many requests" },
  too_many_followers: { status: 429, title: "Too many followers" },
  upgrade_required: { status: 426, title: "Upgrade required" },
  internal: { status: 500, title: "Internal error" },
  provider_unreachable: { status: 503, title: "Provider unreachable" },
  unavailable: { status: 503, title: "Unavailable" },
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
  /** Only of endpoints of OAuth 2.0. Source: RFC 6749 section 5.2. */
  error: z.optional(z.string()),
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

/** A refused `Result`. @param detail a sentence for the person who sent the request: what happened, what to do */
export function refuse<Code extends ProblemCode>(
  code: Code,
  detail: string,
  errors?: readonly FieldError[],
): Failure<Refused<Code>> {
  return { ok: false, refusal: errors === undefined ? { code, detail } : { code, detail, errors } };
}
