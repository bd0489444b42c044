import type { Context as HonoContext, Next } from "hono";

import { isLoopback } from "#contract/loopback.ts";
import type { Services } from "#worker/context.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { addressedTo } from "#worker/http/public-origin.ts";
import { rateLimitPolicy } from "#worker/http/rate-limit.ts";
import { toHex } from "#sealing/bytes.ts";

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

/** One year, without includeSubDomains: subdomains do not belong to Gantry. */
const STRICT_TRANSPORT_SECURITY = "max-age=31536000";

/**
 * Adds the headers of every response: the request id, CORS for any origin (safe because Gantry uses no cookies),
 * Cache-Control, nosniff, and HSTS if the request came over HTTPS. Also answers preflights and logs one line per request.
 */
export function commonHeaders({ randomBytes, clock }: Pick<Services, "randomBytes" | "clock">) {
  return async (c: HonoContext<AppEnv>, next: Next): Promise<void> => {
    const startedAt = clock.now();
    c.set("requestId", requestId(randomBytes));
    c.set("addressed", addressedTo(c.req.raw));
    if (c.req.method === "OPTIONS") c.res = preflight();
    else await next();
    // A WebSocket upgrade needs none of these headers.
    if (c.res.status === 101) return;
    // The headers of a response from a Durable Object are immutable. c.header would copy the response for each header.
    const response = new Response(c.res.body, c.res);
    const { headers } = response;
    headers.set("x-request-id", c.get("requestId"));
    headers.set("access-control-allow-origin", "*");
    headers.set("access-control-expose-headers", CORS_ANSWER_HEADERS);
    headers.set("cache-control", cachingOf(c));
    headers.set("x-content-type-options", "nosniff");
    if (isHttps(c.get("addressed"))) headers.set("strict-transport-security", STRICT_TRANSPORT_SECURITY);
    const bookmark = c.get("session")?.bookmark() ?? null;
    if (bookmark !== null) headers.set("gantry-bookmark", bookmark);
    const policy = rateLimitPolicy(c.env.RATE_LIMIT);
    if (policy !== null) headers.set("ratelimit-policy", policy);
    // Otherwise Hono would copy the headers of the previous response to this one.
    c.res = undefined;
    c.res = response;
    console.log(requestLogLine(c, clock.now() - startedAt));
  };
}

/** A response with an entity tag may be cached by its client and revalidated with If-None-Match. */
function cachingOf(c: HonoContext<AppEnv>): string {
  if (c.get("isImmutable") === true) return "public, max-age=31536000, immutable";
  return c.res.headers.has("etag") ? "private, no-cache" : "no-store";
}

/** One structured log line for a request, with the token's id and no secret. A path contains ids, but never a secret. */
function requestLogLine(c: HonoContext<AppEnv>, ms: number): string {
  return JSON.stringify({
    level: "info",
    request_id: c.get("requestId"),
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    ms,
    token_id: c.get("holder")?.token.id ?? null,
  });
}

/** Source: RFC 6797 section 7.2: no HSTS over plain HTTP. None on localhost, where it would apply to all ports. */
function isHttps({ protocol, hostname }: URL): boolean {
  return protocol === "https:" && !isLoopback(hostname);
}

function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": CORS_REQUEST_HEADERS,
      "access-control-max-age": String(CORS_MAX_AGE_SECONDS),
    },
  });
}

function requestId(randomBytes: (count: number) => Uint8Array): string {
  return `req_${toHex(randomBytes(12))}`;
}
