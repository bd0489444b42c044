import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { createAccount, createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { askToRotate, makeToken, revoke, rotate, tokenOf, works } from "../../support/worker/tokens.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse("2026-03-01T10:20:30.000Z");
const at = (ms: number) => new Date(START + ms).toISOString();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An account whose own token does not expire during the test. */
async function createLastingAccount() {
  const account = await createAccount();
  const asking = (await createToken(account.id, { expiresAt: START + 400 * DAY_MS })).secret;
  return { ...account, asking };
}

describe("a rotated token", () => {
  it("has a new secret, and its lifetime restarts", async () => {
    const { asking } = await createLastingAccount();
    const made = await makeToken(asking, { expires_in_days: 30 });
    vi.setSystemTime(START + 10 * DAY_MS);
    const response = await askToRotate(asking, made.id);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { token: secret, ...token } = await response.json<{ token: string }>();
    expect(secret).not.toBe(made.token);
    const { token: _first, ...before } = made;
    expect(token).toEqual({
      ...before,
      rotated_at: at(10 * DAY_MS),
      expires_at: at(40 * DAY_MS),
      previous_expires_at: at(11 * DAY_MS),
    });
    expect(await tokenOf(asking, made.id)).toEqual(token);
    vi.setSystemTime(START + 40 * DAY_MS - 1);
    expect(await works(secret)).toBe(true);
    const again = await rotate(asking, made.id);
    expect(again.expires_at).toBe(at(70 * DAY_MS - 1));
  });

  it("accepts the old secret for exactly 24 hours", async () => {
    const { asking } = await createLastingAccount();
    const made = await makeToken(asking);
    const rotated = await rotate(asking, made.id);
    expect(await works(made.token)).toBe(true);
    vi.setSystemTime(START + DAY_MS - 1);
    expect(await works(made.token)).toBe(true);
    const me = Account.parse(await (await call("/v1/account", { token: made.token })).json());
    expect(me.token.expires_at).toBe(at(DAY_MS));
    // It is still cached, from a millisecond ago.
    vi.setSystemTime(START + DAY_MS);
    expect(await works(made.token)).toBe(false);
    expect(await works(rotated.token)).toBe(true);
    expect((await tokenOf(asking, made.id))?.previous_expires_at).toBeNull();
  });

  it("does not extend the lifetime of the old secret", async () => {
    const { id, asking } = await createLastingAccount();
    const token = await createToken(id, { expiresAt: START + HOUR_MS });
    const rotated = await rotate(asking, token.id);
    expect(rotated.previous_expires_at).toBe(at(HOUR_MS));
    vi.setSystemTime(START + HOUR_MS);
    expect(await works(token.secret)).toBe(false);
  });

  it("refuses the secret before the previous one at once", async () => {
    const { asking } = await createLastingAccount();
    const made = await makeToken(asking);
    const second = await rotate(asking, made.id);
    expect(await works(made.token)).toBe(true);
    const third = await rotate(asking, made.id);
    expect(await works(made.token)).toBe(false);
    expect(await works(second.token)).toBe(true);
    expect(await works(third.token)).toBe(true);
  });

  it("is valid again if it had expired, but not with its old secret", async () => {
    const { asking } = await createLastingAccount();
    const made = await makeToken(asking, { expires_in_days: 1 });
    vi.setSystemTime(START + 2 * DAY_MS);
    expect(await works(made.token)).toBe(false);
    const rotated = await rotate(asking, made.id);
    expect(rotated).toMatchObject({ expires_at: at(3 * DAY_MS), previous_expires_at: null });
    expect(await works(rotated.token)).toBe(true);
    expect(await works(made.token)).toBe(false);
  });

  it("can rotate itself, and again with the old secret if the response was lost", async () => {
    const { asking } = await createLastingAccount();
    const made = await makeToken(asking, { scopes: ["tokens:write"] });
    const lost = await rotate(made.token, made.id);
    const rotated = await rotate(made.token, made.id);
    expect(await works(made.token)).toBe(false);
    expect(await works(lost.token)).toBe(true);
    expect(await works(rotated.token)).toBe(true);
  });

  it.each(["was lost", "was never stored"])(
    "keeps the overlap of the old secret if it is retried with its key because its response %s",
    async (response) => {
      const { id, asking } = await createLastingAccount();
      const made = await makeToken(asking, { scopes: ["tokens:write"], expires_in_days: 1 });
      const retry = async () => {
        const answer = await askToRotate(made.token, made.id, { "idempotency-key": "once" });
        return TokenWithSecret.parse(await answer.json());
      };
      vi.setSystemTime(START + HOUR_MS);
      const lost = await retry();
      if (response === "was never stored")
        await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL WHERE account_id = ?").bind(id).run();
      vi.setSystemTime(START + 2 * HOUR_MS);
      const times = {
        rotated_at: at(HOUR_MS),
        expires_at: at(25 * HOUR_MS),
        previous_expires_at: at(DAY_MS),
      };
      expect([lost, await retry()]).toMatchObject([times, { token: lost.token, ...times }]);
      expect([await works(made.token), await works(lost.token)]).toEqual([true, true]);
      vi.setSystemTime(START + DAY_MS);
      expect([await works(made.token), await works(lost.token)]).toEqual([false, true]);
    },
  );

  it("accepts both secrets after two simultaneous rotations, the first one for 24 hours", async () => {
    const { asking } = await createLastingAccount();
    const made = await makeToken(asking);
    const [one, other] = await Promise.all([rotate(asking, made.id), rotate(asking, made.id)]);
    expect([await works(one.token), await works(other.token)]).toEqual([true, true]);
    expect(await works(made.token)).toBe(false);
    vi.setSystemTime(START + DAY_MS);
    expect(await works(one.token)).not.toBe(await works(other.token));
  });

  it("must not have more rights than the token that rotates it", async () => {
    const { id, asking } = await createLastingAccount();
    const { secret } = await createToken(id, { scopes: ["tokens:write", "projects:read"] });
    const made = await makeToken(asking, { scopes: ["projects:write", "tokens:read"] });
    const response = await askToRotate(secret, made.id);
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer realm="gantry", error="insufficient_scope", scope="tokens:write projects:write"',
    );
    expect(await problemOf(response)).toMatchObject({ code: "insufficient_scope" });
    expect((await tokenOf(asking, made.id))?.rotated_at).toBeNull();
    expect(await works(made.token)).toBe(true);
  });

  it("is not found after it was revoked", async () => {
    const { asking } = await createLastingAccount();
    const made = await makeToken(asking);
    await revoke(asking, made.id);
    expect(await problemOf(await askToRotate(asking, made.id))).toMatchObject({ code: "not_found" });
    expect(await works(made.token)).toBe(false);
  });
});
