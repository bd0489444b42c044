import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, type Mock, onTestFinished, vi } from "vitest";
import * as z from "zod";

import { createAccount, newSecret } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { onPrepare, recordStatements } from "../../support/worker/statements.ts";

const Failure = z.object({
  level: z.literal("error"),
  errors: z.array(z.object({ name: z.string(), message: z.string(), at: z.array(z.string()) })),
});
const LogLine = Failure.extend({
  request_id: z.string(),
  method: z.string(),
  path: z.string(),
});

let log: Mock;
beforeEach(() => {
  log = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes D1 fail, which the runtime cannot do on request. */
function breakDatabase(message: string): () => void {
  return onPrepare(() => {
    throw new Error(message);
  });
}

describe("an unexpected error", () => {
  it("gives a problem without internal details, and one log line with all details", async () => {
    const { token } = await createAccount();
    await call("/v1/account", { token });
    breakDatabase("D1_ERROR: no such column: cat at offset 7: SQLITE_ERROR");
    const response = await call("/v1/servers", { token });
    expect(response.status).toBe(500);
    const problem = await problemOf(response);
    expect(problem.code).toBe("internal");
    expect(JSON.stringify(problem)).not.toContain("cat");
    expect(log).toHaveBeenCalledOnce();
    const line = LogLine.parse(JSON.parse(String(log.mock.calls[0]?.[0])));
    expect(line).toMatchObject({ request_id: problem.request_id, method: "GET", path: "/v1/servers" });
    expect(line.errors.map((error) => error.message)).toContain(
      "D1_ERROR: no such column: cat at offset 7: SQLITE_ERROR",
    );
    expect(line.errors[0]?.at.length).toBeGreaterThan(0);
  });

  it("is logged without the parameters of a statement", async () => {
    await env.DB.exec("DROP TABLE accounts");
    const secret = newSecret();
    expect((await call("/v1/account", { token: secret })).status).toBe(503);
    const [text] = log.mock.calls[0] ?? [];
    const line = LogLine.parse(JSON.parse(String(text)));
    expect(line.errors[0]?.message).toContain("no such table: accounts");
    expect(String(text)).not.toMatch(/[0-9a-f]{64}/);
    expect(String(text)).not.toContain(secret);
  });
});

describe("a failure after a successful request", () => {
  it("is logged with its causes and their stack frames", async () => {
    const { token } = await createAccount();
    await env.DB.exec(
      "CREATE TRIGGER refuse BEFORE UPDATE ON idempotency_keys BEGIN SELECT RAISE(FAIL, 'refused here'); END",
    );
    onTestFinished(async () => void (await env.DB.exec("DROP TRIGGER refuse")));
    const headers = { "idempotency-key": "once" };
    const body = { name: "web-1", ip: "192.0.2.1" };
    expect((await call("/v1/servers", { method: "POST", token, headers, body })).status).toBe(201);
    expect(log).toHaveBeenCalledOnce();
    const line = Failure.parse(JSON.parse(String(log.mock.calls[0]?.[0])));
    const messages = line.errors.map(({ message }) => message);
    expect(messages.join()).toContain("refused here");
    expect(line.errors[0]?.at.length).toBeGreaterThan(0);
  });
});

describe("a part of the platform that does not respond", () => {
  it.each([
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: some error that is not listed",
  ])("gives 503 with Retry-After: %s", async (message) => {
    const { token } = await createAccount();
    await call("/v1/account", { token });
    breakDatabase(message);
    const response = await call("/v1/servers", { token });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await problemOf(response)).toMatchObject({ code: "unavailable" });
  });
});

describe("a request", () => {
  it("is logged with its id and without its token", async () => {
    const { token } = await createAccount();
    const info = vi.spyOn(console, "log").mockImplementation(() => {});
    const response = await call("/v1/projects?limit=1", { token });
    const lines = info.mock.calls.map(([line]): unknown => JSON.parse(String(line)));
    expect(lines).toEqual([
      {
        level: "info",
        request_id: response.headers.get("x-request-id"),
        method: "GET",
        path: "/v1/projects",
        status: 200,
        ms: expect.any(Number),
        token_id: expect.stringMatching(/^tok_/),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(token);
  });
});

describe("the health check", () => {
  let aheadMs = 0;

  // Each test begins after the cached result of the test before has expired.
  beforeEach(() => {
    aheadMs += 60_000;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + aheadMs });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("succeeds if the database answers", async () => {
    const response = await call("/healthz");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok" });
  });

  it("fails if the database has no tables", async () => {
    await env.DB.exec("DROP TABLE accounts");
    const response = await call("/healthz");
    expect(response.status).toBe(503);
    expect(await problemOf(response)).toMatchObject({ code: "unavailable" });
  });

  it("reads the database once for many requests", async () => {
    const statements = recordStatements();
    for (let count = 0; count < 20; count += 1) expect((await call("/healthz")).status).toBe(200);
    expect(statements.length).toBe(1);
  });

  it("reads the database once while it does not answer", async () => {
    let reads = 0;
    onPrepare(() => {
      reads += 1;
      throw new Error("D1_ERROR: Network connection lost.");
    });
    for (let count = 0; count < 20; count += 1) expect((await call("/healthz")).status).toBe(503);
    expect(reads).toBe(1);
  });

  it("notices within seconds that the database fails, and that it works again", async () => {
    const status = async (afterMs: number) => {
      vi.setSystemTime(Date.now() + afterMs);
      return (await call("/healthz")).status;
    };
    expect(await status(0)).toBe(200);
    const bringBack = breakDatabase("D1_ERROR: Network connection lost.");
    expect(await status(4_999)).toBe(200);
    expect(await status(1)).toBe(503);
    bringBack();
    expect(await status(999)).toBe(503);
    expect(await status(1)).toBe(200);
  });
});
