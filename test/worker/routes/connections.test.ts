import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Connection, ConnectionRows, ConnectionTest } from "#contract/endpoints/connections/schemas.ts";
import { Profile } from "#contract/endpoints/profile/schemas.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { createAccount, createToken, type TestAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { TestIssuer } from "../../support/worker/issuer.ts";
import {
  accept,
  addMember,
  confirm,
  createOwner,
  invite,
  type Person,
  signInWith,
} from "../../support/worker/members.ts";
import {
  addIdentity,
  createConnection,
  people,
  requestConnection,
  send,
  signInBy,
  Tab,
  TestProvider,
} from "../../support/worker/providers.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { createSession, createSignInCode, signIn } from "../../support/worker/sessions.ts";
import { works } from "../../support/worker/tokens.ts";

const MINUTE_MS = 60_000;
const CONFIGURATION = "/.well-known/openid-configuration";

let provider: TestProvider;
let account: TestAccount;
let owner: Person;

beforeEach(async () => {
  provider = await TestProvider.reset(1);
  account = await createAccount("Acme");
  owner = await createOwner(account);
});

afterEach(() => {
  vi.useRealTimers();
});

const codeOf = async (response: Response) => (await problemOf(response)).code;

async function tokenOf(response: Response): Promise<string> {
  if (response.status !== 201) throw new Error(await response.text());
  return SessionCreated.parse(await response.json()).token;
}

const connect = async (input: Parameters<typeof createConnection>[1] = {}) =>
  await createConnection(owner.token, { issuer: provider.url, ...input });

async function change({ id }: Connection, body: object, token = owner.token): Promise<Response> {
  return await call(`/v1/connections/${id}`, { method: "PATCH", token, body });
}

async function testOf({ id }: Connection, body: object = {}): Promise<ConnectionTest> {
  const response = await call(`/v1/connections/${id}/test`, { method: "POST", token: owner.token, body });
  if (!response.ok) throw new Error(await response.text());
  return ConnectionTest.parse(await response.json());
}

/** Configurations of providers that are a little different. */
async function issuerThatSays(changed: Record<string, unknown>): Promise<TestIssuer> {
  const issuer = await TestIssuer.start();
  const configuration = {
    issuer: issuer.url,
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${issuer.url}/token`,
    jwks_uri: `${issuer.url}/jwks`,
    code_challenge_methods_supported: ["S256"],
    ...changed,
  };
  await issuer.answers({ [CONFIGURATION]: { body: JSON.stringify(configuration) } });
  return issuer;
}

const problemAtIssuer = async (response: Response) => {
  const { code, errors } = await problemOf(response);
  return `${code}: ${errors?.[0]?.pointer} ${errors?.[0]?.message}`;
};

describe("a connection", () => {
  it("is created, changed and deleted by an owner, and answers its secret to nobody", async () => {
    const connection = await connect();
    expect(connection).toMatchObject({
      kind: "oidc",
      issuer: provider.url,
      has_client_secret: true,
      join: "off",
      is_forced: false,
      redirect_uri: "https://gantry.test/app/sign-in/callback",
      last_used_at: null,
    });
    const changed = await change(connection, { name: "Keycloak", client_secret: "another-secret" });
    expect(await changed.json()).toMatchObject({ name: "Keycloak", has_client_secret: true });
    const listed = await call("/v1/connections", { token: account.token });
    const text = await listed.text();
    expect(ConnectionRows.parse(JSON.parse(text)).connections).toMatchObject([{ name: "Keycloak" }]);
    const path = `/v1/connections/${connection.id}`;
    expect((await call(path, { method: "DELETE", token: owner.token })).status).toBe(204);
    const written = JSON.stringify([
      text,
      await recordedEntries(account.id),
      await recordedEvents(account.id),
    ]);
    expect(written).not.toMatch(/another-secret|not-a-real-secret/);
    expect((await recordedEvents(account.id)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["connection.created", "connection.updated", "connection.deleted"]),
    );
  });

  it("is changed by owners who are signed in and have confirmed it, and by nobody else", async () => {
    const connection = await connect();
    const admin = await addMember(owner.token, [{ role: "admin" }]);
    const link = await createSession(account.id);
    for (const token of [admin.token, account.token, link.token])
      expect(await codeOf(await change(connection, { name: "x" }, token))).toBe("person_required");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * MINUTE_MS });
    expect(await codeOf(await change(connection, { name: "x" }))).toBe("reauthentication_required");
    expect(await codeOf(await requestConnection(owner.token, { issuer: provider.url }))).toBe(
      "reauthentication_required",
    );
    await confirm(owner);
    expect((await change(connection, { name: "x" })).status).toBe(200);
  });

  it("of another account does not exist", async () => {
    const connection = await connect();
    const other = await createOwner(await createAccount("Other"));
    expect(await codeOf(await change(connection, { name: "x" }, other.token))).toBe("not_found");
    const start = { act: "add_identity", connection_id: connection.id, binding_hash: "0".repeat(64) };
    const started = await call("/v1/session/provider", { method: "POST", token: other.token, body: start });
    expect(await codeOf(started)).toBe("not_found");
  });

  it("is listed with the scope members:read, and not without", async () => {
    const { secret } = await createToken(account.id, { scopes: ["projects:read"] });
    expect(await codeOf(await call("/v1/connections", { token: secret }))).toBe("insufficient_scope");
  });

  it("must let people who join do something", async () => {
    const refused = async (input: object) => {
      const { errors } = await problemOf(
        await requestConnection(owner.token, { issuer: provider.url, ...input }),
      );
      return errors?.[0]?.pointer;
    };
    expect(await refused({ join: "domain" })).toBe("/domains");
    expect(await refused({ join: "domain", domains: ["example.com"] })).toBe("/join_grants");
    expect(await refused({ join: "group" })).toBe("/group_grants");
    expect(await refused({ scopes: ["email"] })).toBe("/scopes");
    const grants = [{ role: "viewer", project_ids: ["proj_01kaf4t6g3h8s2d9p4z7x0me5t"] }];
    expect(await refused({ group_grants: [{ group: "dev", grants }] })).toBe(
      "/group_grants/0/grants/0/project_ids/0",
    );
  });
});

describe("the issuer of a connection", () => {
  const create = async (issuer: string) => await requestConnection(owner.token, { issuer });

  it("is stored as the provider writes it, with or without a slash at its end", async () => {
    const plain = Connection.parse(await (await create(`${provider.url}/`)).json());
    expect(plain.issuer).toBe(provider.url);
    const issuer = await TestIssuer.start();
    const slashed = await issuerThatSays({ issuer: `${issuer.url}/` });
    await issuer.answers({
      [CONFIGURATION]: {
        body: JSON.stringify({
          issuer: `${issuer.url}/`,
          authorization_endpoint: `${issuer.url}/a`,
          token_endpoint: `${issuer.url}/t`,
          jwks_uri: `${issuer.url}/jwks`,
        }),
      },
    });
    expect(await (await create(issuer.url)).json()).toMatchObject({ issuer: `${issuer.url}/` });
    expect(await problemAtIssuer(await create(slashed.url))).toContain("Enter that address");
  });

  it("can be given as the address of the configuration", async () => {
    expect(await (await create(`${provider.url}${CONFIGURATION}`)).json()).toMatchObject({
      issuer: provider.url,
    });
  });

  it("is refused with what to enter instead if it is Entra's for all tenants", async () => {
    for (const path of ["common/v2.0", "organizations/v2.0", "consumers"])
      expect(await problemAtIssuer(await create(`https://login.microsoftonline.com/${path}`))).toMatch(
        /^invalid_request: \/issuer .*Enter https:\/\/login\.microsoftonline\.com\/TENANT\/v2\.0/,
      );
    const template = await issuerThatSays({ issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" });
    expect(await problemAtIssuer(await create(template.url))).toContain("TENANT/v2.0");
  });

  it.each([
    ["no token endpoint", { token_endpoint: undefined }, "it lacks token_endpoint"],
    ["another issuer", { issuer: "https://id.example.com" }, "calls itself https://id.example.com"],
    ["no PKCE", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["a script as its page", { authorization_endpoint: "javascript:alert(1)" }, "authorization_endpoint"],
    ["plain HTTP", { token_endpoint: "http://id.example.com/token" }, "must begin with https://"],
  ])("is refused if its provider has %s", async (_, changed, sentence) => {
    const issuer = await issuerThatSays(changed);
    expect(await problemAtIssuer(await create(issuer.url))).toContain(sentence);
  });

  it("is refused if it is this installation", async () => {
    expect(await codeOf(await create("https://gantry.test"))).toBe("provider_unreachable");
  });

  it.each([
    ["is down", { status: 503, body: "" }, "status 503"],
    ["redirects", { status: 302, headers: { location: "https://example.com" }, body: "" }, "redirects"],
    ["is slow", { delayMs: 6_000, body: "{}" }, "does not answer within 5 seconds"],
    ["sends too much", { body: "x".repeat(600_000) }, "more than 500000 bytes"],
  ])("is not stored while its provider %s", async (_, answer, sentence) => {
    const issuer = await TestIssuer.start();
    await issuer.answers({ [CONFIGURATION]: answer });
    const response = await create(issuer.url);
    expect(response.headers.get("retry-after")).not.toBeNull();
    expect(await problemOf(response)).toMatchObject({
      status: 503,
      code: "provider_unreachable",
      detail: expect.stringContaining(sentence),
    });
  });

  it("is refused if the provider answers something else", async () => {
    const issuer = await TestIssuer.start();
    await issuer.answers({ [CONFIGURATION]: { body: "<html>Sign in</html>" } });
    expect(await problemAtIssuer(await create(issuer.url))).toContain("not JSON");
    await issuer.answers({ [CONFIGURATION]: { status: 404, body: "" } });
    expect(await problemAtIssuer(await create(issuer.url))).toContain("status 404");
  });
});

describe("the test of a connection", () => {
  it("finds nothing wrong, and shows the claims without signing anybody in", async () => {
    const connection = await connect({
      join: "group",
      group_grants: [{ group: "dev", grants: [{ role: "deployer" }] }],
    });
    const tab = new Tab();
    const begun = await testOf(connection, { binding_hash: await tab.bindingHash() });
    expect(begun).toMatchObject({ problems: [], notes: [], sign_in: null });
    const answer = await tab.visit(begun.url ?? "", "grace");
    const before = (await recordedEvents(account.id)).length;
    const ended = await testOf(connection, { answer });
    expect(ended).toMatchObject({
      problems: [],
      sign_in: {
        subject: "grace",
        email: "grace@example.com",
        groups: ["dev"],
        claims: { name: "Grace Hopper", groups: '["dev"]' },
        member: null,
        grants: [{ role: "deployer" }],
        problem: null,
      },
    });
    expect((await recordedEvents(account.id)).length).toBe(before);
    expect(await codeOf(await send(answer))).toBe("sign_in_refused");
  });

  const endTest = async (connection: Connection, login: string) => {
    const tab = new Tab();
    const { url } = await testOf(connection, { binding_hash: await tab.bindingHash() });
    return await testOf(connection, { answer: await tab.visit(url ?? "", login) });
  };

  it("says who would be signed in, and why somebody would not", async () => {
    const connection = await connect();
    await addIdentity(owner.token, connection, "ada");
    expect((await endTest(connection, "ada")).sign_in?.member).toMatchObject({ id: owner.id });
    expect((await endTest(connection, "grace")).sign_in?.problem).toContain("You are not a member");
  });

  it("says that groups are missing, and where to add them", async () => {
    await provider.set({ people: { grace: { ...people.grace, groups: undefined } } });
    const connection = await connect({ group_grants: [{ group: "dev", grants: [{ role: "viewer" }] }] });
    const { problems, sign_in: signInTest } = await endTest(connection, "grace");
    expect(problems).toEqual([expect.stringMatching(/sent no groups.*Keycloak.*often groups/)]);
    expect(signInTest?.groups).toBeNull();
  });

  it("says that Keycloak writes groups with a slash", async () => {
    await provider.set({ people: { grace: { ...people.grace, groups: ["/dev"] } } });
    const connection = await connect({ group_grants: [{ group: "dev", grants: [{ role: "viewer" }] }] });
    expect((await endTest(connection, "grace")).problems).toEqual([expect.stringContaining("enter /dev")]);
  });

  it("says that an address is not verified", async () => {
    const connection = await connect({ domains: ["example.com"] });
    expect((await endTest(connection, "eve")).notes).toEqual([expect.stringContaining("email_verified")]);
  });

  it("says what is wrong with the provider and with its answer", async () => {
    const connection = await connect();
    const tab = new Tab();
    const { url } = await testOf(connection, { binding_hash: await tab.bindingHash() });
    const answer = await tab.visit(url ?? "", null);
    expect((await testOf(connection, { answer })).problems).toEqual([
      expect.stringContaining("access_denied"),
    ]);
    await provider.set({ answers: { [CONFIGURATION]: { status: 500, body: "" } } });
    expect(await testOf(connection, { binding_hash: await tab.bindingHash() })).toMatchObject({
      problems: [expect.stringContaining("status 500")],
      url: null,
    });
  });

  it("is for owners", async () => {
    const connection = await connect();
    const admin = await addMember(owner.token, [{ role: "admin" }]);
    const path = `/v1/connections/${connection.id}/test`;
    const refused = await call(path, { method: "POST", token: admin.token, body: {} });
    expect(await codeOf(refused)).toBe("person_required");
  });
});

describe("forced single sign-on", () => {
  const force = async (connection: Connection, token: string) =>
    await change(connection, { is_forced: true }, token);

  /** An owner who has signed in by the connection, and what it has forced. */
  async function forced() {
    const connection = await connect({ domains: ["example.com"] });
    await addIdentity(owner.token, connection, "ada");
    const token = await tokenOf(await signInBy(connection, "ada"));
    const response = await force(connection, token);
    if (!response.ok) throw new Error(await response.text());
    return { connection, token };
  }

  it("is turned on only by an owner who has just signed in by the connection", async () => {
    const connection = await connect();
    await addIdentity(owner.token, connection, "ada");
    expect(await codeOf(await force(connection, owner.token))).toBe("sso_required");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const token = await tokenOf(await signInBy(connection, "ada"));
    const other = await connect({ name: "Other" });
    expect(await codeOf(await force(other, token))).toBe("sso_required");
    expect(await (await force(connection, token)).json()).toMatchObject({ is_forced: true });
  });

  it("can be turned on after a confirmation by the connection", async () => {
    const connection = await connect();
    await addIdentity(owner.token, connection, "ada");
    const tab = new Tab();
    const answer = await tab.visit(await tab.startAs(owner.token, "confirm", connection), "ada");
    const confirmed = await call("/v1/session/confirm", {
      method: "POST",
      token: owner.token,
      body: { provider: answer },
    });
    expect(confirmed.status).toBe(204);
    expect((await force(connection, owner.token)).status).toBe(200);
  });

  it("refuses the passkeys and recovery codes of members, records that, and ends their sessions", async () => {
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    const codes = await call("/v1/me/recovery-codes", { method: "POST", token: grace.token, body: {} });
    const [code] = (await codes.json<{ codes: string[] }>()).codes;
    await forced();
    expect(await works(grace.token)).toBe(false);
    const byPasskey = await signInWith(grace.passkey);
    expect(await problemOf(byPasskey)).toMatchObject({ status: 403, code: "sso_required" });
    const recovery = await call("/v1/sessions", { method: "POST", body: { recovery_code: code } });
    expect(await codeOf(recovery)).toBe("sso_required");
    await expect
      .poll(async () => (await recordedEntries(account.id)).filter(({ outcome }) => outcome === "refused"))
      .toMatchObject([{ code: "sso_required", target: { id: grace.id } }, { code: "sso_required" }]);
  });

  it("does not lock the owners out: their passkeys, sessions and sign-in links work", async () => {
    await forced();
    expect(await works(owner.token)).toBe(true);
    expect((await signInWith(owner.passkey)).status).toBe(201);
    expect((await signIn(await createSignInCode(account.id))).status).toBe(201);
  });

  it("lets invited people join only by the provider", async () => {
    const { connection, token } = await forced();
    const code = await invite(token, [{ role: "viewer" }]);
    expect(await codeOf((await accept(code, "Grace")).response)).toBe("sso_required");
    expect((await signInBy(connection, "grace", { invitation_code: code })).status).toBe(201);
  });

  it("refuses other connections of the account", async () => {
    const other = await connect({
      name: "Other",
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    expect((await signInBy(other, "grace")).status).toBe(201);
    const { connection, token } = await forced();
    expect(await codeOf(await signInBy(other, "grace"))).toBe("sso_required");
    expect((await change(connection, { is_forced: false }, token)).status).toBe(200);
    expect((await signInBy(other, "grace")).status).toBe(201);
  });
});

describe("an identity", () => {
  it("belongs to one member", async () => {
    const connection = await connect();
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    expect((await addIdentity(grace.token, connection, "grace")).status).toBe(201);
    const refused = await addIdentity(owner.token, connection, "grace");
    expect(await problemOf(refused)).toMatchObject({
      code: "sign_in_refused",
      detail: expect.stringContaining("belongs to a member already"),
    });
  });

  it("is removed, except the last way to sign in", async () => {
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    const token = await tokenOf(await signInBy(connection, "grace"));
    const identity = Profile.parse(await (await call("/v1/me", { token })).json()).identities[0];
    const remove = async (by: string, id = identity?.id) =>
      await call(`/v1/me/identities/${id}`, { method: "DELETE", token: by });
    expect(await codeOf(await remove(token))).toBe("last_passkey");
    expect(await codeOf(await remove(owner.token))).toBe("not_found");
    const added = await (
      await addIdentity(owner.token, connection, "ada")
    ).json<{ id: typeof identity extends undefined ? never : string }>();
    const own = await call(`/v1/me/identities/${added.id}`, { method: "DELETE", token: owner.token });
    expect(own.status).toBe(204);
    expect(await codeOf(await signInBy(await connect({ name: "B" }), "ada"))).toBe("sign_in_refused");
  });

  it("goes with its member, and with its connection", async () => {
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    const token = await tokenOf(await signInBy(connection, "grace"));
    const { member } = Profile.parse(await (await call("/v1/me", { token })).json());
    const removed = await call(`/v1/members/${member.id}`, { method: "DELETE", token: owner.token });
    expect(removed.status).toBe(204);
    const again = await tokenOf(await signInBy(connection, "grace"));
    const joined = Profile.parse(await (await call("/v1/me", { token: again })).json());
    expect(joined.member.id).not.toBe(member.id);
    await call(`/v1/connections/${connection.id}`, { method: "DELETE", token: owner.token });
    expect(await works(again)).toBe(false);
    expect(await works(owner.token)).toBe(true);
  });

  it("confirms the session of its member, and of nobody else", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "admin" }],
    });
    const token = await tokenOf(await signInBy(connection, "grace"));
    const create = async () =>
      await call("/v1/me/tokens", { method: "POST", token, body: { name: "x", scopes: ["projects:read"] } });
    expect((await create()).status).toBe(201);
    vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
    expect(await codeOf(await create())).toBe("reauthentication_required");
    vi.useRealTimers();
    const confirmAs = async (login: string) => {
      const tab = new Tab();
      const answer = await tab.visit(await tab.startAs(token, "confirm", connection), login);
      return await call("/v1/session/confirm", { method: "POST", token, body: { provider: answer } });
    };
    const other = await confirmAs("ada");
    expect((await problemOf(other)).detail).toContain("as somebody else");
    expect((await confirmAs("grace")).status).toBe(204);
    expect((await create()).status).toBe(201);
  });
});

describe("the ways to sign in", () => {
  const options = async (query = "") => await (await call(`/v1/sign-in${query}`)).json();

  it("are all connections of the only account, without their settings", async () => {
    expect(await options()).toEqual({ connections: [] });
    const { id } = await connect();
    expect(await options()).toEqual({ connections: [{ id, kind: "oidc", name: "Okta" }] });
  });

  it("are found by a domain if there are several accounts, and otherwise look like none", async () => {
    const { id } = await connect({ domains: ["example.com"] });
    await createAccount("Other");
    expect(await options()).toEqual({ connections: [] });
    expect(await options("?domain=example.org")).toEqual({ connections: [] });
    expect(await options("?domain=example.com")).toEqual({
      connections: [{ id, kind: "oidc", name: "Okta" }],
    });
  });
});
