import type { Header, Reference } from "./types.ts";

const text = (description: string, isSure: boolean): Header => ({
  description,
  required: isSure,
  schema: { type: "string" },
});
const seconds = (description: string): Header => ({
  description,
  required: true,
  schema: { type: "integer", minimum: 0 },
});

/** Headers of answers, by the name of their component. */
export const answerHeaders = {
  RequestId: text("The request's id.", true),
  RateLimitPolicy: text(
    "How many requests a token may make: `q` in `w` seconds. Left out where they are not limited.",
    false,
  ),
  RateLimit: text("What is left of it: `r` requests, for `t` seconds.", true),
  RetryAfter: seconds("How many seconds to wait."),
  GantryBookmark: text("What to send as `Gantry-Bookmark` to see at least what this answer saw.", false),
  EntityTag: text("Names this content; send it as `If-None-Match`.", true),
  JsonEntityTag: text("Names this content, where it is JSON; send it as `If-None-Match`.", false),
  Link: text('The next page, with `rel="next"`; left out on the last one.', false),
  Location: text("Where to find what was made.", true),
  IdempotentReplayed: text("`true` where this is the answer to an earlier request with the same key.", false),
  Authenticate: text("What is missing (RFC 6750).", true),
  AuthenticateScope: text("The scope that is missing (RFC 6750); left out where no scope is.", false),
} satisfies Record<string, Header>;

export type AnswerHeader = keyof typeof answerHeaders;

const names: Record<AnswerHeader, string> = {
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

/** References to headers, besides the two that every answer has. */
export function headers(...more: AnswerHeader[]): Record<string, Reference> {
  const all: AnswerHeader[] = ["RequestId", "RateLimitPolicy", ...more];
  return Object.fromEntries(all.map((name) => [names[name], { $ref: `#/components/headers/${name}` }]));
}
