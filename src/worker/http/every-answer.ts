import type { Context as HonoContext, Next } from "hono";

import type { Services } from "#worker/context.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { rateLimitPolicy } from "#worker/http/rate-limit.ts";
import { toHex } from "#worker/sha256.ts";

const CORS_REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "Gantry-Bookmark",
  "Idempotency-Key",
  "If-Live",
  "If-None-Match",
  "Last-Event-ID",
].join(", ");
const CORS_ANSWER_HEADERS = [
  "X-Request-Id",
  "Link",
  "Location",
  "ETag",
  "Gantry-Bookmark",
  "Idempotent-Replayed",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "Allow",
].join(", ");
const CORS_MAX_AGE_SECONDS = 86_400;

/**
 * What every answer has, whatever gave it: a request id, CORS for any origin (no cookies anywhere, so nothing can be
 * done in a visitor's name), no caching but by who asked, and a line of log. Answers preflights by itself.
 */
export function everyAnswer({ randomBytes, clock }: Pick<Services, "randomBytes" | "clock">) {
  return async (c: HonoContext<AppEnv>, next: Next): Promise<void> => {
    const startedAt = clock.now();
    c.set("requestId", requestId(randomBytes));
    if (c.req.method === "OPTIONS") c.res = preflight();
    else await next();
    // A switched protocol is not an answer that anybody caches or shares.
    if (c.res.status === 101) return;
    // c.header and not c.res.headers: those of an answer that came from a Durable Object cannot be changed.
    c.header("x-request-id", c.var.requestId);
    c.header("access-control-allow-origin", "*");
    c.header("access-control-expose-headers", CORS_ANSWER_HEADERS);
    c.header("cache-control", cachingOf(c));
    const bookmark = c.var.session?.bookmark() ?? null;
    if (bookmark !== null) c.header("gantry-bookmark", bookmark);
    const policy = rateLimitPolicy(c.env.RATE_LIMIT);
    if (policy !== null) c.header("ratelimit-policy", policy);
    console.log(requestLogLine(c, clock.now() - startedAt));
  };
}

/** What has an entity tag may be kept by who got it, and asked for again with If-None-Match. */
function cachingOf({ res, var: { isForGood } }: HonoContext<AppEnv>): string {
  if (isForGood === true) return "public, max-age=31536000, immutable";
  return res.headers.has("etag") ? "private, no-cache" : "no-store";
}

/** One line of structured log for a request: who asked, never what with. The path holds ids, and no secret. */
function requestLogLine(c: HonoContext<AppEnv>, ms: number): string {
  return JSON.stringify({
    level: "info",
    request_id: c.var.requestId,
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    ms,
    token_id: c.var.holder?.token.id ?? null,
  });
}

function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, PATCH, DELETE",
      "access-control-allow-headers": CORS_REQUEST_HEADERS,
      "access-control-max-age": String(CORS_MAX_AGE_SECONDS),
    },
  });
}

function requestId(randomBytes: (count: number) => Uint8Array): string {
  return `req_${toHex(randomBytes(12))}`;
}
