import { env } from "cloudflare:workers";
import { afterAll, beforeAll } from "vitest";

let isCounting = false;

/**
 * Stops the rate limiters from counting requests. Locally they write to a database for each call, which takes a quarter of
 * the CPU time of a request.
 */
function countOnlyIfAsked(limiter: RateLimit): void {
  const count = limiter.limit.bind(limiter);
  limiter.limit = async (options) => (isCounting ? await count(options) : { success: true });
}

// Once for all files, because they share modules.
[env.TOKEN_LIMIT, env.AGENT_LIMIT, env.FAILURE_LIMIT].forEach(countOnlyIfAsked);

/** Makes the rate limiters count the requests of a file or a `describe` block. */
export function countRequests(): void {
  beforeAll(() => {
    isCounting = true;
  });
  afterAll(() => {
    isCounting = false;
  });
}
