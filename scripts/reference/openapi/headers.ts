import type { Header, Reference } from "./types.ts";

const text = (description: string, isRequired: boolean): Header => ({
  description,
  required: isRequired,
  schema: { type: "string" },
});
const seconds = (description: string): Header => ({
  description,
  required: true,
  schema: { type: "integer", minimum: 0 },
});

/** Response headers, by the names of their components. */
export const responseHeaders = {
  RequestId: text("The request's id.", true),
  RateLimitPolicy: text(
    "The rate limit of a token: `q` requests in `w` seconds. Omitted without a limit.",
    false,
  ),
  RateLimit: text("What remains of the rate limit: `r` requests in the next `t` seconds.", true),
  RetryAfter: seconds("The seconds to wait."),
  GantryBookmark: text("Send it as `Gantry-Bookmark` to read at least the state of this response.", false),
  EntityTag: text("Identifies this content. Send it as `If-None-Match`.", true),
  JsonEntityTag: text("Identifies this content if it is JSON. Send it as `If-None-Match`.", false),
  Link: text('The next page, with `rel="next"`. Omitted on the last page.', false),
  Location: text("The address of the created object.", true),
  IdempotentReplayed: text("`true` if this is the response to an earlier request with the same key.", false),
  Authenticate: text("The missing credential (RFC 6750).", true),
  AuthenticateScope: text("The missing scope (RFC 6750). Omitted if no scope is missing.", false),
} satisfies Record<string, Header>;

export type ResponseHeader = keyof typeof responseHeaders;

const names: Record<ResponseHeader, string> = {
  RequestId: "X-Request-Id",
  RateLimitPolicy: "RateLimit-Policy",
  RateLimit: "RateLimit",
  RetryAfter: "Retry-After",
  GantryBookmark: "Gantry-Bookmark",
  EntityTag: "ETag",
  JsonEntityTag: "ETag",
  Link: "Link",
  Location: "Location",
  IdempotentReplayed: "Idempotent-Replayed",
  Authenticate: "WWW-Authenticate",
  AuthenticateScope: "WWW-Authenticate",
};

/** References to the two headers of every response, and to more headers. */
export function headers(...more: ResponseHeader[]): Record<string, Reference> {
  const all: ResponseHeader[] = ["RequestId", "RateLimitPolicy", ...more];
  return Object.fromEntries(all.map((name) => [names[name], { $ref: `#/components/headers/${name}` }]));
}
