import { afterEach, describe, expect, it, vi } from "vitest";

import { endpoints } from "#contract/endpoints/endpoints.ts";
import { createToken } from "../../support/worker/account.ts";
import { problemOf } from "../../support/worker/call.ts";
import { revoke, rotate, works } from "../../support/worker/tokens.ts";
import { createWorld, operationNames, perform, type World } from "../../support/worker/world.ts";

const byToken = operationNames.filter((name) => endpoints[name].access.by === "token");

/** The operations that do not refuse the token as invalid. @param network of the client */
async function open(world: World, token: string, network: string): Promise<string[]> {
  const names: string[] = [];
  for (const [index, name] of byToken.entries()) {
    // There are more operations than wrong tokens that one address may send.
    const response = await perform(name, world, token, { "cf-connecting-ip": `${network}.${index}` });
    if (response.status !== 401 || (await problemOf(response)).code !== "invalid_token") names.push(name);
  }
  return names;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a revoked token", () => {
  it("is refused by every endpoint at once, with either of its secrets", async () => {
    const world = await createWorld();
    const { id, secret } = await createToken(world.account.id);
    const rotated = await rotate(world.account.token, id);
    // Both are cached from now on.
    expect([await works(secret), await works(rotated.token)]).toEqual([true, true]);
    expect((await revoke(world.account.token, id)).status).toBe(204);
    expect(await open(world, secret, "192.0.2")).toEqual([]);
    expect(await open(world, rotated.token, "198.51.100")).toEqual([]);
  });
});

describe("a token that expires", () => {
  it("is refused by every endpoint from that time on", async () => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const world = await createWorld();
    const { secret } = await createToken(world.account.id, { expiresAt: now + 1_000 });
    expect(await works(secret)).toBe(true);
    vi.setSystemTime(now + 1_000);
    expect(await open(world, secret, "192.0.2")).toEqual([]);
  });
});
