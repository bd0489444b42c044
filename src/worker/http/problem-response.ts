import type { Context as HonoContext } from "hono";

import { type Problem, problems, type Refusal } from "#contract/problems.ts";
import type { Scope } from "#contract/scopes.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { exhausted } from "#worker/http/rate-limit.ts";

/** The default Retry-After, in seconds. */
const RETRY_AFTER_SECONDS = 2;

/** What the refusal of an endpoint depends on. */
type Refusing = { readonly scope: Scope | null; readonly isOAuth: boolean };

/**
 * The HTTP response for a refusal. Source: RFC 9457 for the body, RFC 6750 section 3 for WWW-Authenticate, RFC 6749 section
 * 5.2 for `error`.
 * @param endpoint `scope`: the scope that it requires; null: none
 */
export function problemResponse(
  c: HonoContext<AppEnv>,
  refusal: Refusal,
  { scope, isOAuth }: Refusing = { scope: null, isOAuth: false },
): Response {
  const { status, title } = problems[refusal.code];
  const problem: Problem = {
    type: `${c.get("origin")}/docs/problems/${refusal.code}`,
    title,
    status,
    detail: refusal.detail,
    code: refusal.code,
    request_id: c.get("requestId"),
    ...(isOAuth && status < 500 ? { error: oauthError(refusal) } : {}),
    ...(refusal.errors === undefined ? {} : { errors: [...refusal.errors] }),
  };
  const headers = new Headers({ "content-type": "application/problem+json" });
  const challenge = challengeFor(refusal, scope);
  if (challenge !== null) headers.set("www-authenticate", challenge);
  const retryAfter = refusal.retryAfter ?? (status === 503 ? RETRY_AFTER_SECONDS : null);
  if (retryAfter !== null) headers.set("retry-after", String(retryAfter));
  if (refusal.code === "rate_limited") headers.set("ratelimit", exhausted(retryAfter ?? RETRY_AFTER_SECONDS));
  return new Response(JSON.stringify(problem), { status, headers });
}

/** Source: RFC 8693 section 2.2.2: an invalid `subject_token` is an `invalid_request`. */
function oauthError({ errors = [] }: Refusal): "invalid_request" | "unsupported_grant_type" {
  const isGrant = errors.some(({ pointer }) => pointer === "/grant_type");
  return isGrant ? "unsupported_grant_type" : "invalid_request";
}

function challengeFor({ code, scopes = [] }: Refusal, scope: Scope | null): string | null {
  const realm = 'Bearer realm="gantry"';
  // Every 401 names a scheme (RFC 9110 section 15.5.2). This one has no registered name.
  if (code === "invalid_signature") return 'Signature realm="gantry"';
  if (code === "missing_token") return realm;
  if (code === "invalid_token") return `${realm}, error="invalid_token"`;
  if (code !== "insufficient_scope") return null;
  const needed = scope === null ? scopes : [scope, ...scopes];
  return `${realm}, error="insufficient_scope"${needed.length === 0 ? "" : `, scope="${needed.join(" ")}"`}`;
}
