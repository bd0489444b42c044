import { afterEach, describe, expect, it, vi } from "vitest";
import { createAccount, createToken, ids, type TestAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { listTokens, makeToken, revoke, works } from "../../support/worker/tokens.ts";

/** The account's own token in the list of tokens. */
async function ownTokenId(account: TestAccount): Promise<string> {
  const { tokens } = await listTokens(account.token);
  return tokens.at(-1)?.id ?? "";
}

/** Sends a request whose body waits after its first byte. @returns a function that sends the rest */
async function beginSlowly(path: string, token: string, body: unknown): Promise<() => Promise<Response>> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const headers = { "content-type": "application/json" };
  const response = call(path, { method: "POST", token, headers, raw: readable });
  const writer = writable.getWriter();
  await writer.write(bytes.subarray(0, 1));
  return async () => {
    await writer.write(bytes.subarray(1));
    await writer.close();
    return await response;
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a revoked token", () => {
  it("does not end a request whose body arrives slowly", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { token: asking } = await createAccount();
    const leaked = await makeToken(asking, { scopes: ["tokens:write"] });
    const end = await beginSlowly("/v1/tokens", leaked.token, { name: "thief", scopes: ["tokens:write"] });
    expect((await revoke(asking, leaked.id)).status).toBe(204);
    vi.setSystemTime(Date.now() + 2_000);
    expect(await problemOf(await end())).toMatchObject({ status: 401, code: "invalid_token" });
    expect((await listTokens(asking)).tokens).toHaveLength(1);
  });

  it("is not found when it is revoked again", async () => {
    const { token: asking } = await createAccount();
    const made = await makeToken(asking);
    const response = await revoke(asking, made.id);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(await problemOf(await revoke(asking, made.id))).toMatchObject({ code: "not_found" });
    expect(await problemOf(await revoke(asking, ids.token()))).toMatchObject({ code: "not_found" });
  });

  it("may have more rights than the token that revokes it", async () => {
    const { id, token: asking } = await createAccount();
    const { secret } = await createToken(id, { scopes: ["tokens:write"] });
    const made = await makeToken(asking, { scopes: ["servers:write"] });
    expect((await revoke(secret, made.id)).status).toBe(204);
    expect(await works(made.token)).toBe(false);
  });

  it("can be the token of the request", async () => {
    const { token: asking } = await createAccount();
    const made = await makeToken(asking, { scopes: ["tokens:write"] });
    expect((await revoke(made.token, made.id)).status).toBe(204);
    expect(await works(made.token)).toBe(false);
  });
});

describe("the last token that can create tokens", () => {
  it("cannot be revoked, and the problem says what to do instead", async () => {
    const account = await createAccount();
    await createToken(account.id, { scopes: ["tokens:read", "projects:write"] });
    await createToken(account.id, { projectIds: [ids.project()] });
    await createToken(account.id, { expiresAt: Date.now() });
    await createToken(account.id, { revokedAt: Date.now() });
    const other = await createAccount("other");
    const id = await ownTokenId(account);
    const problem = await problemOf(await revoke(account.token, id));
    expect(problem).toMatchObject({ status: 409, code: "last_token" });
    expect(problem.detail).toContain("POST /v1/tokens");
    expect(await works(account.token)).toBe(true);
    expect((await revoke(other.token, id)).status).toBe(404);
    const next = await makeToken(account.token, { scopes: ["tokens:write"] });
    expect((await revoke(next.token, id)).status).toBe(204);
    expect(await works(account.token)).toBe(false);
  });

  it("stays if the last two are revoked at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const account = await createAccount();
      const [one, other] = [
        await ownTokenId(account),
        await makeToken(account.token, { scopes: ["tokens:write"] }),
      ];
      // Both are cached now. Otherwise the second request may find its own token revoked, which is a 401.
      expect([await works(account.token), await works(other.token)]).toEqual([true, true]);
      const answers = await Promise.all([revoke(account.token, other.id), revoke(other.token, one)]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 409]));
      expect(await works(account.token)).not.toBe(await works(other.token));
    }
  });

  it("does not prevent revoking expired or limited tokens or tokens without the scope", async () => {
    const { id, token: asking } = await createAccount();
    const others = [
      await createToken(id, { scopes: ["tokens:read"] }),
      await createToken(id, { projectIds: [ids.project()] }),
      await createToken(id, { expiresAt: Date.now() }),
    ];
    for (const other of others) expect((await revoke(asking, other.id)).status).toBe(204);
  });

  it("is determined for the whole account, also in a request of a limited token", async () => {
    const { id } = await createAccount();
    const limited = await createToken(id, { projectIds: [ids.project()] });
    expect((await revoke(limited.secret, limited.id)).status).toBe(204);
  });
});
