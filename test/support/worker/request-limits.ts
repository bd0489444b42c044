import { env } from "cloudflare:workers";
import { afterAll, beforeAll } from "vitest";

let isReplaced = false;
let isCounting = false;

function countOnlyIfAsked(limiter: RateLimit): void {
  const count = limiter.limit.bind(limiter);
  limiter.limit = async (options) => (isCounting ? await count(options) : { success: true });
}

/**
 * Stops the rate limiters from counting requests. Locally they write to a database for each call, which takes a quarter of
 * the CPU time of a request. All files share the limiters: a second call does nothing.
 */
export function countNoRequests(): void {
  if (isReplaced) return;
  isReplaced = true;
  [env.TOKEN_LIMIT, env.AGENT_LIMIT, env.FAILURE_LIMIT].forEach(countOnlyIfAsked);
}

/** Makes the rate limiters count the requests of a file or a `describe` block, after `countNoRequests`. */
export function countRequests(): void {
  beforeAll(() => {
    isCounting = true;
  });
  afterAll(() => {
    isCounting = false;
  });
}
