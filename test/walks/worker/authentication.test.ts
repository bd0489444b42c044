import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { scopeOf } from "#contract/endpoints/endpoint.ts";
import { roleScopes } from "#contract/roles.ts";
import { allScopes, type Scope, scopesAllow } from "#contract/scopes.ts";
import { createToken, newSecret } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { share } from "../../support/worker/storage.ts";
import { createSession } from "../../support/worker/sessions.ts";
import { isForPerson, operationNames, perform, requests } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const CHALLENGE = 'Bearer realm="gantry"';
const guarded = operationNames.filter((name) => endpoints[name].access.by !== "none");
const open = operationNames.filter((name) => endpoints[name].access.by === "none");

async function expect401(response: Response, code: "missing_token" | "invalid_token"): Promise<void> {
  expect(response.status).toBe(401);
  const error = code === "invalid_token" ? ', error="invalid_token"' : "";
  expect(response.headers.get("www-authenticate")).toBe(CHALLENGE + error);
  expect(await problemOf(response)).toMatchObject({ status: 401, code });
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("an endpoint with authentication", () => {
  const world = share(copyWorld);

  // An address may send a limited number of wrong tokens, so each test has its own.
  let tests = 0;
  beforeEach(() => void (tests += 1));
  const from = () => ({ "cf-connecting-ip": `test ${tests}` });
  const refused = async (name: OperationName, token: string | null) =>
    await perform(name, world(), token, from());

  it.each(guarded)("%s refuses a request without a token", async (name) => {
    await expect401(await refused(name, null), "missing_token");
  });

  it.each(guarded)("%s refuses malformed and unknown tokens, and tokens of another kind", async (name) => {
    const { account, credential } = world();
    const otherKind = endpoints[name].access.by === "agent" ? account.token : credential;
    for (const secret of ["nonsense", `${account.token}x`, newSecret(), newSecret("agent"), otherKind])
      await expect401(await refused(name, secret), "invalid_token");
  });

  it.each(guarded)("%s refuses expired and revoked tokens", async (name) => {
    const expired = await createToken(world().account.id, { expiresAt: Date.now() });
    const revoked = await createToken(world().account.id, { revokedAt: Date.now() });
    await expect401(await refused(name, expired.secret), "invalid_token");
    await expect401(await refused(name, revoked.secret), "invalid_token");
  });

  it.each(guarded)("%s refuses a token without its scope, and names the scope", async (name) => {
    const { access } = endpoints[name];
    if (access.by !== "token" || access.scope === null) return;
    const { scope } = access;
    const others = allScopes.filter((one) => !scopesAllow([one], scope));
    const { secret } = await createToken(world().account.id, { scopes: others });
    const response = await refused(name, secret);
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toBe(
      `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
    );
    expect(await problemOf(response)).toMatchObject({ status: 403, code: "insufficient_scope" });
  });

  it.each(guarded)("%s checks the token before the body", async (name) => {
    const { method, body } = endpoints[name];
    if (body === null) return;
    const { path } = requests[name](world());
    await expect401(await call(path, { method, headers: from(), body: "not an object" }), "missing_token");
  });
});

describe("an endpoint with a scope", () => {
  /** These give rights, which the caller must have too. */
  const given: { readonly [Name in OperationName]?: readonly Scope[] } = {
    createInvitation: roleScopes.deployer,
  };
  const forTokens = guarded.filter((name) => endpoints[name].access.by === "token" && !isForSession(name));

  it.each(forTokens)("%s accepts a token that has only its scope", async (name) => {
    const world = await copyWorld();
    const scope = scopeOf(endpoints[name].access);
    const scopes = [...(scope === null ? [] : [scope]), ...(given[name] ?? [])];
    const response = await perform(name, world, (await createToken(world.account.id, { scopes })).secret);
    expect([401, 403]).not.toContain(response.status);
  });
});

/** Whether an endpoint refuses API tokens. */
function isForSession(name: OperationName): boolean {
  return isForPerson(name) || name === "createOwner" || name === "createChallenge";
}

const forPersons = guarded.filter(isForSession);

describe("an endpoint that is only for persons", () => {
  const world = share(copyWorld);

  it.each(forPersons)("%s refuses an API token, whatever its scopes", async (name) => {
    const response = await perform(name, world(), world().account.token);
    expect(await problemOf(response)).toMatchObject({ status: 403, code: "person_required" });
  });

  it.each(forPersons.filter(isForPerson))("%s refuses the session of a sign-in link", async (name) => {
    const { token } = await createSession(world().account.id);
    const response = await perform(name, world(), token);
    expect(await problemOf(response)).toMatchObject({ status: 403, code: "person_required" });
  });

  it.each(forPersons.filter(isForPerson))("%s refuses a personal token", async (name) => {
    const { account, person } = world();
    const token = await createToken(account.id, { memberId: person.id });
    const response = await perform(name, world(), token.secret);
    expect(await problemOf(response)).toMatchObject({ status: 403, code: "person_required" });
  });
});

describe("an endpoint for a person", () => {
  it.each(forPersons)("%s accepts the session of a member", async (name) => {
    const own = await copyWorld();
    const response = await perform(name, own, own.person.token);
    expect(response.status).not.toBe(401);
    // The passkey and the provider's answer in the examples are not valid.
    if (response.status === 403)
      expect(["invalid_passkey", "sign_in_refused"]).toContain((await problemOf(response)).code);
  });
});

describe("an endpoint without authentication", () => {
  it.each(open)("%s needs no token", async (name) => {
    const response = await perform(name, await copyWorld(), null);
    expect(response.headers.get("www-authenticate")).not.toBe(CHALLENGE);
  });
});

describe("the Authorization header", () => {
  it("accepts only the scheme Bearer, in any case", async () => {
    const { account } = await copyWorld();
    const status = async (authorization: string) =>
      (await call("/v1/account", { headers: { authorization } })).status;
    expect(await status(`bearer ${account.token}`)).toBe(200);
    expect(await status(`BEARER  ${account.token}`)).toBe(200);
    const basic = await call("/v1/account", { headers: { authorization: `Basic ${btoa("me:you")}` } });
    await expect401(basic, "missing_token");
    await expect401(await call("/v1/account", { headers: { authorization: "Bearer" } }), "missing_token");
  });

  it("causes no database read if the token has a typo", async () => {
    const { account } = await copyWorld();
    const prepare = vi.spyOn(env.DB, "prepare");
    await call("/v1/account", { token: account.token.replace(/.$/, (last) => (last === "a" ? "b" : "a")) });
    expect(prepare).not.toHaveBeenCalled();
  });
});

describe("a cached token", () => {
  it("is refused as soon as it expires", async () => {
    const { account } = await copyWorld();
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const token = (await createToken(account.id, { expiresAt: now + 2_000 })).secret;
    expect((await call("/v1/account", { token })).status).toBe(200);
    vi.setSystemTime(now + 2_000);
    await expect401(await call("/v1/account", { token }), "invalid_token");
  });

  it("is refused at most ten seconds after its revocation", async () => {
    const { account } = await copyWorld();
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const { id, secret } = await createToken(account.id);
    expect((await call("/v1/account", { token: secret })).status).toBe(200);
    await env.DB.prepare("UPDATE tokens SET revoked_at = ? WHERE id = ?").bind(now, id).run();
    vi.setSystemTime(now + 10_000);
    await expect401(await call("/v1/account", { token: secret }), "invalid_token");
  });
});
