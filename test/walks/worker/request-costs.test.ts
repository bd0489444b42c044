import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import table from "../../docs/request-costs.md?raw";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { createToken } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { countRoundTrips, type RoundTrips } from "../../support/worker/round-trips.ts";
import { succeedingRequest } from "../../support/worker/succeeding-requests.ts";
import { operationNames, type World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

/**
 * Counts the round trips of a successful request.
 * @param coldToken a token of the account that is not cached; null: use a cached one
 */
async function measure(name: OperationName, world: World, coldToken: string | null): Promise<RoundTrips> {
  const { method, access } = endpoints[name];
  const request = await succeedingRequest(name, world, coldToken !== null);
  const token = access.by === "agent" ? world.credential : (coldToken ?? world.account.token);
  let status = 0;
  const counted = await countRoundTrips(async () => {
    const { path, body, headers = {} } = request;
    const response = await call(path, { method, token: request.token ?? token, body, headers });
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
  await import("#worker/routes/audit.ts");
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
    const { id, secret } = await createToken(first.account.id);
    // Otherwise the Worker would write the token's first use in an hour, after the response.
    await env.DB.prepare("UPDATE tokens SET last_used_at = ? WHERE id = ?").bind(Date.now(), id).run();
    const cold = await measure(name, first, secret);
    // Otherwise the projects of both worlds would have the same default domain, which is refused.
    await env.DB.prepare("UPDATE projects SET domain = id").run();
    await env.DB.prepare("DELETE FROM domains").run();
    const second = await copyWorld("second");
    // The Worker caches the token.
    expect((await call("/v1/account", { token: second.account.token })).status).toBe(200);
    const warm = await measure(name, second, null);
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
