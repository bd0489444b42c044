import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import table from "../../../docs/request-costs.md?raw";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { findChallengeKey } from "#worker/identity/passkeys/challenge-key.ts";
import { call } from "../../support/worker/call.ts";
import { countRoundTrips, type RoundTrips } from "../../support/worker/round-trips.ts";
import { succeedingRequest } from "../../support/worker/succeeding-requests.ts";
import { operationNames, senderOf, type World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

/** After this time the Worker has forgotten every token. */
const CACHED_MS = 11_000;

/**
 * Counts the round trips of a successful request.
 * @param isCold its token is not cached
 */
async function measure(name: OperationName, world: World, isCold: boolean): Promise<RoundTrips> {
  const request = await succeedingRequest(name, world);
  const token = request.token ?? senderOf(name, world);
  if (isCold) vi.setSystemTime(Date.now() + CACHED_MS);
  // Otherwise the Worker would write the token's first use in an hour, after the response.
  await env.DB.prepare("UPDATE tokens SET last_used_at = ?").bind(Date.now()).run();
  // The Worker caches the token.
  if (!isCold && endpoints[name].access.by === "token")
    expect((await call("/v1/account", { token })).status).toBe(200);
  // Once in ten minutes, the first passkey needs a read of the key for challenges.
  await findChallengeKey(env.DB, { now: Date.now(), randomBytes });
  let status = 0;
  const counted = await countRoundTrips(async () => {
    const { path, body, headers = {} } = request;
    const response = await call(path, { method: endpoints[name].method, token, body, headers });
    ({ status } = response);
  });
  expect(status, `${name} must succeed to be measured`).toBeLessThan(300);
  expect(status).toBeGreaterThanOrEqual(200);
  return counted;
}

/** The row of docs/request-costs.md for an operation. */
function row(name: string, cold: RoundTrips, warm: RoundTrips): string {
  const d1 = cold.d1 === warm.d1 ? `${warm.d1}` : `${warm.d1} (${cold.d1})`;
  return `| \`${name}\` | ${d1} | ${warm.r2} | ${warm.lane} | ${warm.link} |`;
}

// The clock stands still, because the Worker caches tokens for some seconds and a busy machine may take longer to create
// a world. It is ahead by a minute, so that what earlier tests have cached has expired.
// The handlers that are loaded when they are first called: here, loading takes so long that work which an earlier request
// has deferred would be counted.
beforeAll(async () => {
  await Promise.all([
    import("#worker/routes/account.ts"),
    import("#worker/routes/audit.ts"),
    import("#worker/routes/connect.ts"),
    import("#worker/routes/connections.ts"),
    import("#worker/operations/sign-in/provider-answer.ts"),
    import("#worker/routes/enrollment.ts"),
    import("#worker/routes/events.ts"),
    import("#worker/routes/hooks.ts"),
    import("#worker/routes/logs.ts"),
    import("#worker/routes/members.ts"),
    import("#worker/routes/profile.ts"),
    import("#worker/routes/sessions.ts"),
  ]);
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the cost of a request", () => {
  it.each(operationNames)("is, for %s, what docs/request-costs.md says", async (name) => {
    const first = await copyWorld();
    const cold = await measure(name, first, true);
    // Otherwise the projects of both worlds would have the same default domain, which is refused.
    await env.DB.prepare("UPDATE projects SET domain = id").run();
    await env.DB.prepare("DELETE FROM domains").run();
    const second = await copyWorld("second");
    const warm = await measure(name, second, false);
    const measured = row(name, cold, warm);
    expect(table.split("\n").includes(measured), `the row is now ${measured}`).toBe(true);
  });

  it("is at most two D1 round trips for a list, or one if the token is cached", () => {
    const lists = table.split("\n").filter((line) => line.startsWith("| `list"));
    expect(lists.length).toBeGreaterThan(3);
    for (const line of lists) {
      const [, warm, , cold] = /\| (\d)( \((\d)\))? \|/.exec(line) ?? [];
      expect(Number(warm)).toBeLessThanOrEqual(1);
      expect(Number(cold)).toBeLessThanOrEqual(2);
    }
  });
});
