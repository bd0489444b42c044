import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { createAccount, createToken, newSecret } from "../../../support/worker/account.ts";
import { call, problemOf } from "../../../support/worker/call.ts";
import { countRequests } from "../../../support/worker/request-limits.ts";
import { startInMinute } from "../../../support/worker/whole-minute.ts";

countRequests();

describe("the rate limit", () => {
  it("refuses a token with too many requests, with Retry-After, but no other token", async () => {
    const { id } = await createAccount();
    const { id: tokenId, secret } = await createToken(id);
    const other = await createAccount();
    await startInMinute();
    await Promise.all(Array.from({ length: 599 }, () => env.TOKEN_LIMIT.limit({ key: tokenId })));
    expect((await call("/v1/account", { token: secret })).status).toBe(200);
    const refused = await call("/v1/account", { token: secret });
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.headers.get("ratelimit")).toBe('"default";r=0;t=60');
    expect((await call("/v1/account", { token: other.token })).status).toBe(200);
  });

  it("refuses an address that sends too many wrong tokens", async () => {
    const headers = { "cf-connecting-ip": "192.0.2.77" };
    const answers: number[] = [];
    await startInMinute();
    for (let count = 0; count < 70; count += 1) {
      answers.push((await call("/v1/account", { token: newSecret(), headers })).status);
    }
    expect(answers[0]).toBe(401);
    expect(answers.at(-1)).toBe(429);
    const elsewhere = { "cf-connecting-ip": "192.0.2.78" };
    expect((await call("/v1/account", { token: newSecret(), headers: elsewhere })).status).toBe(401);
  });

  it("lets a command ask as often as a token whether it may sign in, and counts none of it as a failure", async () => {
    const ip = "192.0.2.79";
    const ask = async () =>
      await call("/v1/tokens/claim", {
        method: "POST",
        body: { verifier: "TheVerifierOfTheExampleIsNotASecretAtAll000" },
        headers: { "cf-connecting-ip": ip },
      });
    await startInMinute();
    for (let count = 0; count < 70; count += 1) expect((await ask()).status).toBe(409);
    const wrong = await call("/v1/account", { token: newSecret(), headers: { "cf-connecting-ip": ip } });
    expect(wrong.status).toBe(401);
    await Promise.all(Array.from({ length: 530 }, () => env.TOKEN_LIMIT.limit({ key: `claim ${ip}` })));
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("60");
  });
});
