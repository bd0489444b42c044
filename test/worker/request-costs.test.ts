import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import table from "../../docs/request-costs.md?raw";
import { createToken } from "../support/worker/account.ts";
import { countRoundTrips, type RoundTrips } from "../support/worker/round-trips.ts";
import { createWorld, operationNames, perform } from "../support/worker/world.ts";

/** The row of docs/request-costs.md for an operation. */
function row(name: string, cold: RoundTrips, warm: RoundTrips): string {
  const d1 = cold.d1 === warm.d1 ? `${warm.d1}` : `${warm.d1} (${cold.d1})`;
  return `| \`${name}\` | ${d1} | ${warm.r2} | ${warm.lane} | ${warm.link} |`;
}

// Later than anything that a test before has made the Worker remember, and at a standstill: what it remembers counts
// for some seconds, and making a world may take longer on a busy machine.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("what a request costs", () => {
  it.each(operationNames)("is, for %s, what docs/request-costs.md says", async (name) => {
    const first = await createWorld();
    const { id, secret } = await createToken(first.account.id);
    // A token's first use in an hour is written down after the answer, which is not what the answer costs.
    await env.DB.prepare("UPDATE tokens SET last_used_at = ? WHERE id = ?").bind(Date.now(), id).run();
    const cold = await countRoundTrips(() =>
      perform(name, { ...first, account: { ...first.account, token: secret } }),
    );
    // Or the default domain of a project that the first world made would be taken in the second.
    await env.DB.prepare("UPDATE projects SET domain = id").run();
    const second = await createWorld("second");
    const warm = await countRoundTrips(() => perform(name, second));
    const measured = row(name, cold, warm);
    expect(table.split("\n").includes(measured), `the row is now ${measured}`).toBe(true);
  });

  it("is at most two D1 round trips for a list, one where the token is remembered", () => {
    const lists = table.split("\n").filter((line) => line.startsWith("| `list"));
    expect(lists.length).toBeGreaterThan(3);
    for (const line of lists) {
      const [, warm, , cold] = /\| (\d)( \((\d)\))? \|/.exec(line) ?? [];
      expect(Number(warm)).toBeLessThanOrEqual(1);
      expect(Number(cold)).toBeLessThanOrEqual(2);
    }
  });
});
