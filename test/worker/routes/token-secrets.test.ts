import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createAccount } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { askForToken, makeToken, revoke, rotate, works } from "../../support/worker/tokens.ts";

const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  for (const level of ["debug", "error", "info", "log", "trace", "warn"] as const)
    vi.spyOn(console, level).mockImplementation((...values: unknown[]) => {
      printed.push(JSON.stringify(values));
    });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** All rows of all tables in D1. */
async function everything(): Promise<string> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ name: string }>();
  expect(results.map(({ name }) => name)).toContain("tokens");
  const dumps = await env.DB.batch(results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)));
  return JSON.stringify(dumps.map((dump) => dump.results));
}

/** Texts that must not appear: the secret, and its random part alone. */
const tracesOf = (secret: string) => [secret, secret.slice("gantry_".length, -6)];

describe("the secret of a token", () => {
  it("appears only in the responses that create it: in no table, log line, problem or other response", async () => {
    const { token: asking } = await createAccount();
    const made = await makeToken(asking, { scopes: ["tokens:write"] });
    const keyed = await call("/v1/tokens", {
      method: "POST",
      token: asking,
      body: { name: "keyed", scopes: ["tokens:read"] },
      headers: { "idempotency-key": "once" },
    });
    const { token: keyedSecret } = await keyed.json<{ token: string }>();
    const rotated = await rotate(asking, made.id);
    await works(made.token);
    await works(rotated.token);
    const answers = await Promise.all([
      call("/v1/tokens", { token: rotated.token }),
      call("/v1/account", { token: made.token }),
      askForToken(made.token, { scopes: ["servers:write"] }),
      askForToken(rotated.token, { name: "", scopes: [] }),
      call("/v1/nothing", { token: rotated.token }),
    ]);
    const texts = await Promise.all(
      answers.map(async (one) => `${JSON.stringify([...one.headers])}${await one.text()}`),
    );
    const everywhere = [await everything(), ...printed, ...texts];
    await revoke(asking, made.id);
    everywhere.push(await everything(), ...printed);
    for (const trace of [asking, made.token, rotated.token, keyedSecret].flatMap(tracesOf))
      for (const text of everywhere) expect(text).not.toContain(trace);
  });

  it("is not logged if the database fails while it is created", async () => {
    const { token: asking } = await createAccount();
    await works(asking);
    await env.DB.exec("DROP TABLE projects");
    const response = await askForToken(asking);
    expect(response.status).toBe(503);
    expect(printed.length).toBeGreaterThan(0);
    expect(`${printed.join()}${await response.text()}`).not.toMatch(/gantry_[0-9A-Za-z]{36}|[0-9a-f]{64}/);
  });
});
