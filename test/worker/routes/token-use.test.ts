import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createAccount, createToken } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { tokenOf, works } from "../../support/worker/tokens.ts";

const HOUR_MS = 60 * 60 * 1000;
const START = Date.parse("2026-03-01T10:20:30.000Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function createUser() {
  const account = await createAccount();
  const lasting = { expiresAt: START + 10 * HOUR_MS };
  const [reader, user] = [await createToken(account.id, lasting), await createToken(account.id, lasting)];
  const lastUsedAt = async () => (await tokenOf(reader.secret, user.id))?.last_used_at;
  return { ...user, reader, lastUsedAt };
}

/** Records the statements that write a token's last use. */
function spyOnWrites() {
  const writes: string[] = [];
  const prepare = env.DB.prepare.bind(env.DB);
  vi.spyOn(env.DB, "prepare").mockImplementation((text) => {
    if (text.startsWith('update "tokens" set "last_used_at"')) writes.push(text);
    return prepare(text);
  });
  return writes;
}

describe("the last use of a token", () => {
  it("is its first use in an hour, which is never before its creation", async () => {
    const { secret, lastUsedAt } = await createUser();
    expect(await lastUsedAt()).toBeNull();
    await works(secret);
    await vi.waitFor(async () => expect(await lastUsedAt()).toMatch("2026-03-01T10:20:3"));
    // Forty minutes later it is the next hour, and the token was looked up again meanwhile.
    vi.setSystemTime(START + 30 * 60 * 1000);
    await works(secret);
    vi.setSystemTime(START + 40 * 60 * 1000);
    await works(secret);
    await vi.waitFor(async () => expect(await lastUsedAt()).toMatch("2026-03-01T11:00:3"));
  });

  it("is written once an hour for any number of requests", async () => {
    const { secret, reader } = await createUser();
    await works(reader.secret);
    const writes = spyOnWrites();
    await Promise.all(Array.from({ length: 12 }, () => works(secret)));
    vi.setSystemTime(START + 60_000);
    await Promise.all(Array.from({ length: 4 }, () => works(secret)));
    expect(writes).toHaveLength(1);
    vi.setSystemTime(START + HOUR_MS);
    await Promise.all(Array.from({ length: 4 }, () => works(secret)));
    expect(writes).toHaveLength(2);
  });

  it("never moves back", async () => {
    const { id, secret, lastUsedAt } = await createUser();
    const later = START + 5 * HOUR_MS;
    await works(secret);
    await vi.waitFor(async () => expect(await lastUsedAt()).toMatch("2026-03-01T10:20:3"));
    await env.DB.prepare("UPDATE tokens SET last_used_at = ? WHERE id = ?").bind(later, id).run();
    vi.setSystemTime(START + HOUR_MS);
    await works(secret);
    await works(secret);
    expect(await lastUsedAt()).toBe(new Date(later).toISOString());
  });

  it("is not changed by a refused request", async () => {
    const { secret, lastUsedAt } = await createUser();
    const writes = spyOnWrites();
    expect((await call("/v1/tokens?brnach=main", { token: secret })).status).toBe(422);
    expect((await call("/v1/projects/proj_1", { token: secret })).status).toBe(404);
    expect(writes).toEqual([]);
    expect(await lastUsedAt()).toBeNull();
  });

  it("does not fail the request if it cannot be written, and is written by a later request", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { secret, reader, lastUsedAt } = await createUser();
    await works(reader.secret);
    const prepare = env.DB.prepare.bind(env.DB);
    const broken = vi.spyOn(env.DB, "prepare").mockImplementation((text) => {
      if (text.startsWith('update "tokens"')) throw new Error("D1_ERROR: Network connection lost.");
      return prepare(text);
    });
    expect(await works(secret)).toBe(true);
    await vi.waitFor(() => expect(log).toHaveBeenCalledOnce());
    expect(String(log.mock.calls[0]?.[0])).toContain("Network connection lost");
    broken.mockRestore();
    await works(secret);
    await vi.waitFor(async () => expect(await lastUsedAt()).toMatch("2026-03-01T10:20:3"));
  });
});
