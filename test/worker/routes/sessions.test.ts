import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { allScopes } from "#contract/scopes.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { createAccount, createToken, newSecret, type TestAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { runScheduleIn } from "../../support/worker/schedule.ts";
import { createSession, createSignInCode, signIn } from "../../support/worker/sessions.ts";
import { listTokens, makeToken, revoke, works } from "../../support/worker/tokens.ts";

const HOUR_MS = 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

async function accountOf(token: string): Promise<Account> {
  return Account.parse(await (await call("/v1/account", { token })).json());
}

async function signOut(token: string): Promise<Response> {
  return await call("/v1/session", { method: "DELETE", token });
}

async function rowsOf(table: "tokens" | "sign_in_codes", { id }: TestAccount): Promise<number> {
  const statement = env.DB.prepare(`SELECT count(*) AS count FROM ${table} WHERE account_id = ?`).bind(id);
  return (await statement.first<number>("count")) ?? 0;
}

describe("a sign-in link", () => {
  it("is exchanged for a session with all scopes for 12 hours", async () => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const account = await createAccount("Acme");
    const response = await signIn(await createSignInCode(account.id));
    expect(response.status).toBe(201);
    const session = SessionCreated.parse(await response.json());
    expect(session.token).toMatch(/^gantry_session_[0-9A-Za-z]{36}$/);
    expect(Date.parse(session.expires_at)).toBe(now + 12 * HOUR_MS);
    expect(await accountOf(session.token)).toMatchObject({
      id: account.id,
      name: "Acme",
      token: { id: session.id, name: "dashboard", scopes: allScopes, project_ids: null },
    });
    vi.setSystemTime(now + 12 * HOUR_MS);
    expect(await works(session.token)).toBe(false);
  });

  it("works once, also in simultaneous requests", async () => {
    const account = await createAccount();
    const code = await createSignInCode(account.id);
    const answers = await Promise.all([signIn(code), signIn(code), signIn(code)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401, 401]);
    expect(await rowsOf("tokens", account)).toBe(2);
    expect(await problemOf(await signIn(code))).toMatchObject({ code: "invalid_token" });
  });

  it("leaves an event and an entry in the audit log when it is used, and none when it is refused", async () => {
    const account = await createAccount();
    const code = await createSignInCode(account.id);
    const { id } = SessionCreated.parse(await (await signIn(code)).json());
    expect((await signIn(code)).status).toBe(401);
    const sender = { type: "token", id, name: "dashboard" };
    expect(await recordedEvents(account.id)).toMatchObject([
      { type: "token.created", data: { actor: sender, token: { id, name: "dashboard", scopes: allScopes } } },
    ]);
    expect(await recordedEntries(account.id)).toMatchObject([
      { action: "createSession", outcome: "done", target: { type: "session", id, name: "dashboard" } },
    ]);
  });

  it("is refused if it is expired or invalid", async () => {
    const account = await createAccount();
    const expired = await createSignInCode(account.id, Date.now() - 1);
    const others = [newSecret("sign_in"), newSecret(), account.token, "nonsense", "'; --"];
    for (const code of [expired, ...others])
      expect(await problemOf(await signIn(code))).toMatchObject({ status: 401, code: "invalid_token" });
    expect(await rowsOf("tokens", account)).toBe(1);
  });

  it("is stored only as a hash", async () => {
    const account = await createAccount();
    const code = await createSignInCode(account.id);
    const before = await env.DB.prepare("SELECT * FROM sign_in_codes").all();
    expect(JSON.stringify(before.results)).not.toContain(code);
    const { token } = SessionCreated.parse(await (await signIn(code)).json());
    const after = await env.DB.prepare("SELECT * FROM tokens").all();
    expect(JSON.stringify(after.results)).not.toContain(token);
  });
});

describe("a session", () => {
  it("ends alone when its user signs out", async () => {
    const account = await createAccount();
    const [one, other] = [await createSession(account.id), await createSession(account.id)];
    expect([await works(one.token), await works(other.token)]).toEqual([true, true]);
    expect((await signOut(one.token)).status).toBe(204);
    expect([await works(one.token), await works(other.token)]).toEqual([false, true]);
    expect(await problemOf(await signOut(one.token))).toMatchObject({ code: "invalid_token" });
  });

  it("can be ended by signing out, but an API token cannot", async () => {
    const { token } = await createAccount();
    expect(await problemOf(await signOut(token))).toMatchObject({
      status: 404,
      code: "not_found",
      detail: "This token is not a session. Revoke API tokens with DELETE /v1/tokens/{token_id}.",
    });
    expect(await works(token)).toBe(true);
  });

  it("is listed among the tokens, can be revoked there, and cannot be rotated", async () => {
    const account = await createAccount();
    const { id, token } = await createSession(account.id);
    const { tokens } = await listTokens(account.token);
    expect(tokens.map(({ kind }) => kind)).toEqual(["session", "token"]);
    const rotation = await call(`/v1/tokens/${id}/rotate`, { method: "POST", token, body: {} });
    expect(await problemOf(rotation)).toMatchObject({
      code: "not_found",
      detail: "This token is a session. Sessions cannot be rotated: sign in again instead.",
    });
    expect((await revoke(account.token, id)).status).toBe(204);
    expect(await works(token)).toBe(false);
  });

  it("can create tokens, but does not replace the last token that can", async () => {
    const account = await createAccount();
    const { token } = await createSession(account.id);
    const first = (await listTokens(token)).tokens.find(({ kind }) => kind === "token");
    expect(await problemOf(await revoke(token, first?.id ?? ""))).toMatchObject({ code: "last_token" });
    await makeToken(token, { scopes: ["tokens:write"] });
    expect((await revoke(token, first?.id ?? "")).status).toBe(204);
  });

  it("cannot access another account", async () => {
    const [mine, theirs] = [await createAccount("mine"), await createAccount("theirs")];
    const { token } = await createSession(mine.id);
    const { id } = await createToken(theirs.id);
    expect((await revoke(token, id)).status).toBe(404);
    expect(JSON.stringify(await listTokens(token))).not.toContain(id);
  });

  it("is deleted by the schedule after it expires, like a code but unlike an API token", async () => {
    const account = await createAccount();
    await createToken(account.id, { expiresAt: Date.now() - 1 });
    await createSession(account.id);
    await createSession(account.id);
    await env.DB.prepare("UPDATE tokens SET expires_at = 1 WHERE id = (SELECT max(id) FROM tokens)").run();
    await createSignInCode(account.id, Date.now() - 1);
    await createSignInCode(account.id);
    await runScheduleIn(0);
    expect([await rowsOf("tokens", account), await rowsOf("sign_in_codes", account)]).toEqual([3, 1]);
  });
});
