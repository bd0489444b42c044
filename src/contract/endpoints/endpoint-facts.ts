import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { type ProblemCode, problems } from "#contract/problems.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";

// Properties of an endpoint that follow from its row in the table.

/** Whether the endpoint accepts the header If-Live. */
export function takesIfLive(endpoint: Endpoint): boolean {
  return endpoint.problems.includes("live_changed");
}

/** Whether the endpoint has an event stream, which accepts the header Last-Event-ID. */
export function takesLastEventId({ alsoAs }: Endpoint): boolean {
  return alsoAs.includes("text/event-stream");
}

/** Whether the response has an ETag, so that an unchanged one can be a 304. */
export function hasEntityTag({ method }: Endpoint): boolean {
  return method === "GET";
}

/** Every problem that the endpoint can return, in the order of the problem table. */
export function problemsOf(endpoint: Endpoint): ProblemCode[] {
  const { access, body, path, takes } = endpoint;
  const codes = new Set<ProblemCode>([...endpoint.problems, "invalid_request", "internal", "unavailable"]);
  const add = (isPossible: boolean, ...possible: ProblemCode[]) => {
    if (isPossible) for (const code of possible) codes.add(code);
  };
  add(path.startsWith("/v1/"), "https_required");
  add(access.by !== "none", "missing_token", "invalid_token", "rate_limited");
  add(access.by === "token" && access.scope !== null, "insufficient_scope");
  add(access.by === "token" && access.reach === "person", "person_required");
  add(path.includes(":"), "not_found");
  add(body !== null, "malformed_json", "body_too_large", "unsupported_media_type");
  add(takes === "bytes", "body_too_large", "unsupported_media_type");
  add(takesIdempotencyKey(endpoint), "idempotency_mismatch");
  return problemCodes.filter((code) => codes.has(code));
}

export const problemCodes = Object.keys(problems).filter((code) => isProblemCode(code));

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text);
}
