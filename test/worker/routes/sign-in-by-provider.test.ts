import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { MemberRows } from "#contract/endpoints/members/schemas.ts";
import { Profile } from "#contract/endpoints/profile/schemas.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { createAccount, type TestAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { addMember, createOwner, invite, type Person, signInWith } from "../../support/worker/members.ts";
import {
  addIdentity,
  answerOf,
  client,
  createConnection,
  gitHubUrl,
  people,
  send,
  signInBy,
  Tab,
  TestProvider,
} from "../../support/worker/providers.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";

const MINUTE_MS = 60_000;

let provider: TestProvider;
let account: TestAccount;
let owner: Person;

beforeEach(async () => {
  provider = await TestProvider.reset();
  account = await createAccount("Acme");
  owner = await createOwner(account);
});

afterEach(() => {
  vi.useRealTimers();
});

const codeOf = async (response: Response) => (await problemOf(response)).code;
const detailOf = async (response: Response) => (await problemOf(response)).detail;

async function sessionOf(response: Response): Promise<SessionCreated> {
  if (response.status !== 201) throw new Error(await response.text());
  return SessionCreated.parse(await response.json());
}

async function profileOf(token: string): Promise<Profile> {
  return Profile.parse(await (await call("/v1/me", { token })).json());
}

async function membersOf(token: string) {
  return MemberRows.parse(await (await call("/v1/members", { token })).json()).members;
}

const connect = async (input: Parameters<typeof createConnection>[1] = {}) =>
  await createConnection(owner.token, { issuer: provider.url, ...input });

describe("a sign-in by a provider of OpenID Connect", () => {
  it("signs in the member who has added the identity, without cookies of the installation", async () => {
    const connection = await connect();
    const added = await addIdentity(owner.token, connection, "ada");
    expect(added.status).toBe(201);
    const session = await sessionOf(await signInBy(connection, "ada"));
    expect(session).toMatchObject({
      member: { id: owner.id, name: "Ada" },
      sign_out_url: expect.stringContaining(`${provider.url}/session/end?client_id=gantry`),
    });
    const { identities } = await profileOf(session.token);
    expect(identities).toMatchObject([
      {
        subject: "ada",
        name: "ada@example.com",
        connection: { name: "Okta" },
        last_used_at: expect.any(String),
      },
    ]);
  });

  it("is in the audit log with its method, and announced", async () => {
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    await sessionOf(await signInBy(connection, "grace"));
    const session = await sessionOf(await signInBy(connection, "grace"));
    const entries = await recordedEntries(account.id);
    expect(entries.at(-1)).toMatchObject({
      action: "createSession",
      outcome: "done",
      target: { type: "session", id: session.id },
      changes: { method: { before: null, after: "Okta" } },
    });
    const types = (await recordedEvents(account.id)).map(({ type }) => type);
    expect(types).toContain("connection.created");
    expect(types.filter((type) => type === "member.joined")).toHaveLength(2);
    expect(types.at(-1)).toBe("token.created");
  });

  it("works for a public client, without a secret", async () => {
    const connection = await connect({ client_id: "gantry-public", client_secret: null });
    expect(connection.has_client_secret).toBe(false);
    expect((await addIdentity(owner.token, connection, "ada")).status).toBe(201);
  });

  it("lasts as long as the connection says", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const connection = await connect({ session_hours: 1 });
    await addIdentity(owner.token, connection, "ada");
    const session = await sessionOf(await signInBy(connection, "ada"));
    expect(Date.parse(session.expires_at) - Date.now()).toBe(60 * MINUTE_MS);
  });

  it("shows that the client secret is wrong", async () => {
    const connection = await connect({ client_secret: "another-secret" });
    const refused = await signInBy(connection, "ada");
    expect(await problemOf(refused)).toMatchObject({
      code: "sign_in_refused",
      detail: expect.stringContaining("check the client ID and the client secret"),
    });
  });

  it("stores nothing before it succeeds", async () => {
    const connection = await connect();
    const rows = async () =>
      (
        await Promise.all(
          ["tokens", "identities", "used_secrets", "audit_entries", "events"].map((table) =>
            env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n"),
          ),
        )
      ).join();
    const before = await rows();
    const answer = await answerOf(connection, "grace");
    expect(await codeOf(await send(answer))).toBe("sign_in_refused");
    expect(await rows()).toBe(before);
  });
});

describe("nobody becomes a member by a first sign-in", () => {
  it("by default, not even with the address of a member, and the answer is the same", async () => {
    const connection = await connect();
    await addMember(owner.token, [{ role: "viewer" }]);
    await env.DB.prepare("UPDATE members SET email = 'grace@example.com' WHERE is_owner = 0").run();
    const refused = await Promise.all(["grace", "eve"].map((login) => signInBy(connection, login)));
    const problems = await Promise.all(refused.map((response) => problemOf(response)));
    expect(problems.map(({ code }) => code)).toEqual(["sign_in_refused", "sign_in_refused"]);
    expect(new Set(problems.map(({ detail }) => detail)).size).toBe(1);
  });

  it("by an address that the provider has not verified", async () => {
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    expect(await codeOf(await signInBy(connection, "eve"))).toBe("sign_in_refused");
    expect(await membersOf(owner.token)).toHaveLength(1);
  });

  it("by an address of another domain", async () => {
    const connection = await connect({
      join: "domain",
      domains: ["example.org"],
      join_grants: [{ role: "viewer" }],
    });
    expect(await codeOf(await signInBy(connection, "grace"))).toBe("sign_in_refused");
  });

  it("as an owner whose address they have", async () => {
    await env.DB.prepare("UPDATE members SET email = 'ada@example.com'").run();
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    expect(await codeOf(await signInBy(connection, "ada"))).toBe("sign_in_refused");
    expect(await membersOf(owner.token)).toMatchObject([{ is_owner: true }]);
  });
});

describe("a person becomes a member", () => {
  it("by a verified address of a domain", async () => {
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "deployer" }],
    });
    const { member, token } = await sessionOf(await signInBy(connection, "grace"));
    expect(member).toMatchObject({ name: "Grace Hopper" });
    expect((await profileOf(token)).member).toMatchObject({
      email: "grace@example.com",
      is_owner: false,
      grants: [{ role: "deployer", project_ids: null }],
      passkeys: 0,
    });
  });

  it("once, also by two first sign-ins at the same time", async () => {
    const connection = await connect({
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    const answers = await Promise.all([answerOf(connection, "grace"), answerOf(connection, "grace")]);
    const responses = await Promise.all(answers.map((answer) => send(answer)));
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)[0]).toBe(201);
    expect(await membersOf(owner.token)).toHaveLength(2);
  });

  it("by a group that has grants, which apply at the first sign-in", async () => {
    const connection = await connect({
      join: "group",
      group_grants: [
        { group: "dev", grants: [{ role: "deployer" }] },
        { group: "admins", grants: [{ role: "admin" }] },
      ],
    });
    const { token } = await sessionOf(await signInBy(connection, "ada"));
    expect((await profileOf(token)).member.grants.map(({ role }) => role)).toEqual(["deployer", "admin"]);
    await provider.set({ people: { ...people, grace: { ...people.grace, groups: ["sales"] } } });
    expect(await codeOf(await signInBy(connection, "grace"))).toBe("sign_in_refused");
  });

  it("by an invitation of the address, without its link, if the connection says so", async () => {
    const connection = await connect({ join: "invited", domains: ["example.com"] });
    expect(await codeOf(await signInBy(connection, "grace"))).toBe("sign_in_refused");
    await invite(owner.token, [{ role: "viewer" }], { email: "grace@example.com" });
    const { token } = await sessionOf(await signInBy(connection, "grace"));
    expect((await profileOf(token)).member.grants).toMatchObject([{ role: "viewer" }]);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM invitations").first("n")).toBe(0);
  });

  it("by the link of an invitation, only with the address that it is for", async () => {
    const connection = await connect();
    const code = await invite(owner.token, [{ role: "viewer" }], { email: "grace@example.com" });
    const withLink = { invitation_code: code };
    expect(await detailOf(await signInBy(connection, "ada", withLink))).toContain("another e-mail address");
    expect(await detailOf(await signInBy(connection, "eve", withLink))).toContain("has not verified yours");
    await sessionOf(await signInBy(connection, "grace", withLink));
    expect(await detailOf(await signInBy(connection, "ada", withLink))).toContain("already used");
    expect(await membersOf(owner.token)).toHaveLength(2);
  });

  it("by the link of an invitation without an address, with any identity", async () => {
    const connection = await connect();
    const code = await invite(owner.token, [{ role: "viewer" }]);
    await sessionOf(await signInBy(connection, "eve", { invitation_code: code }));
    const [eve] = await membersOf(owner.token);
    expect(eve).toMatchObject({ name: "Eve", email: null });
  });

  it("and sees the providers at the link", async () => {
    const connection = await connect();
    const code = await invite(owner.token, [{ role: "viewer" }]);
    const found = await call("/v1/invitations/look-up", { method: "POST", body: { code } });
    expect(await found.json()).toMatchObject({
      connections: [{ id: connection.id, kind: "oidc", name: "Okta" }],
    });
  });

  it("is found by a verified address of a listed domain, and known by the identity from then on", async () => {
    const connection = await connect({ domains: ["example.com"] });
    const { id } = await addMember(owner.token, [{ role: "viewer" }]);
    await env.DB.prepare("UPDATE members SET email = 'grace@example.com' WHERE id = ?").bind(id).run();
    expect(await codeOf(await signInBy(connection, "eve"))).toBe("sign_in_refused");
    // The passkey may be of somebody else who got the link of the invitation.
    expect(await codeOf(await signInBy(connection, "grace"))).toBe("sign_in_refused");
    await env.DB.prepare("DELETE FROM passkeys WHERE member_id = ?").bind(id).run();
    expect(await sessionOf(await signInBy(connection, "grace"))).toMatchObject({ member: { id } });
    await env.DB.prepare("UPDATE members SET email = NULL WHERE id = ?").bind(id).run();
    expect(await sessionOf(await signInBy(connection, "grace"))).toMatchObject({ member: { id } });
    expect((await recordedEvents(account.id)).map(({ type }) => type)).toContain("identity.added");
  });
});

describe("a personal token of somebody with an identity", () => {
  const DAY_MS = 24 * 60 * MINUTE_MS;
  const tokenOf = async (token: string) => {
    const body = { name: "laptop", scopes: ["projects:read"], expires_in_days: 90 };
    const response = await call("/v1/me/tokens", { method: "POST", token, body });
    return TokenWithSecret.parse(await response.json()).token;
  };
  const projects = (token: string) => call("/v1/projects", { token });
  const joining = { join: "domain", domains: ["example.com"], join_grants: [{ role: "viewer" as const }] };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  });
  /** Makes each sign-in older, because the provider's clock is the real one. */
  async function after(days: number): Promise<void> {
    for (const table of ["identities", "passkeys"])
      await env.DB.prepare(
        `UPDATE ${table} SET last_used_at = last_used_at - ?1, created_at = created_at - ?1`,
      )
        .bind(days * DAY_MS)
        .run();
    forgetCached();
  }
  /** A token is cached for 10 seconds. */
  const forgetCached = () => vi.setSystemTime(Date.now() + 11_000);

  it("pauses after 30 days without a sign-in, until the next one", async () => {
    const connection = await connect({ ...joining, join: "domain" });
    const secret = await tokenOf((await sessionOf(await signInBy(connection, "grace"))).token);
    await after(29);
    expect((await projects(secret)).status).toBe(200);
    await after(1);
    const paused = await problemOf(await projects(secret));
    expect(paused).toMatchObject({ status: 401, code: "invalid_token" });
    expect(paused.detail).toContain("is paused");
    await sessionOf(await signInBy(connection, "grace"));
    forgetCached();
    expect((await projects(secret)).status).toBe(200);
  });

  it("does not pause if the connection says so, of an owner, or of somebody who signs in with a passkey", async () => {
    const connection = await connect({ ...joining, join: "domain", token_days: null });
    const pausing = await connect();
    const unpaused = await tokenOf((await sessionOf(await signInBy(connection, "grace"))).token);
    expect((await addIdentity(owner.token, pausing, "ada")).status).toBe(201);
    const ofOwner = await tokenOf(owner.token);
    const member = await addMember(owner.token, [{ role: "viewer" }]);
    expect((await addIdentity(member.token, pausing, "eve")).status).toBe(201);
    const ofMember = await tokenOf(member.token);
    await after(20);
    expect((await signInWith(member.passkey)).status).toBe(201);
    await after(20);
    const answers = await Promise.all([unpaused, ofOwner, ofMember].map(projects));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await after(10);
    expect((await projects(ofMember)).status).toBe(401);
  });
});

describe("groups", () => {
  const mapped: Parameters<typeof createConnection>[1] = {
    join: "group",
    group_grants: [
      { group: "dev", grants: [{ role: "deployer" }] },
      { group: "admins", grants: [{ role: "admin" }] },
    ],
  };
  const rolesOf = async (token: string) => (await profileOf(token)).member.grants.map(({ role }) => role);
  const withGroups = async (groups: unknown) => {
    await provider.set({ people: { ...people, grace: { ...people.grace, groups } } });
  };

  it("change what a member may do at each sign-in, which is recorded", async () => {
    const connection = await connect(mapped);
    await sessionOf(await signInBy(connection, "grace"));
    await withGroups(["admins"]);
    const { token, member } = await sessionOf(await signInBy(connection, "grace"));
    expect(await rolesOf(token)).toEqual(["admin"]);
    const updated = (await recordedEvents(account.id)).find(({ type }) => type === "member.updated");
    expect(updated?.data).toMatchObject({ member, changed: ["grants"] });
    await withGroups(["sales"]);
    expect(await rolesOf((await sessionOf(await signInBy(connection, "grace"))).token)).toEqual([]);
  });

  it("keep the grants if the provider sends none", async () => {
    const connection = await connect(mapped);
    await sessionOf(await signInBy(connection, "grace"));
    await withGroups(undefined);
    expect(await rolesOf((await sessionOf(await signInBy(connection, "grace"))).token)).toEqual(["deployer"]);
  });

  it("change nothing later if they are not synchronized", async () => {
    const connection = await connect({ ...mapped, sync_grants: false });
    await sessionOf(await signInBy(connection, "grace"));
    await withGroups(["admins"]);
    expect(await rolesOf((await sessionOf(await signInBy(connection, "grace"))).token)).toEqual(["deployer"]);
  });

  it("never touch an owner", async () => {
    const connection = await connect(mapped);
    await addIdentity(owner.token, connection, "grace");
    await withGroups(["sales"]);
    const { token } = await sessionOf(await signInBy(connection, "grace"));
    expect((await profileOf(token)).member).toMatchObject({ is_owner: true, grants: [] });
  });

  it("are found inside of other claims", async () => {
    await provider.set({ people: { grace: { ...people.grace, realm_access: { roles: ["dev"] } } } });
    const connection = await connect({
      ...mapped,
      groups_claim: "realm_access.roles",
    });
    expect(await rolesOf((await sessionOf(await signInBy(connection, "grace"))).token)).toEqual(["deployer"]);
  });
});

describe("an answer of a provider", () => {
  let answer: Awaited<ReturnType<typeof answerOf>>;
  let connection: Awaited<ReturnType<typeof connect>>;

  beforeEach(async () => {
    connection = await connect();
    await addIdentity(owner.token, connection, "ada");
    answer = await answerOf(connection, "ada");
  });

  const changed = (change: (query: URLSearchParams) => void) => {
    const query = new URLSearchParams(answer.query);
    change(query);
    return { ...answer, query: `?${query.toString()}` };
  };

  it("counts once", async () => {
    expect((await send(answer)).status).toBe(201);
    expect(await codeOf(await send(answer))).toBe("sign_in_refused");
  });

  it("counts only in the tab that has started", async () => {
    const victim = await send({ ...answer, binding: crypto.randomUUID() });
    expect(await detailOf(victim)).toContain("not started in this tab");
    expect((await send(answer)).status).toBe(201);
  });

  it("counts for ten minutes", async () => {
    // After the isolate has read the key again, also if tests of other files have moved the clock by a few minutes.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120 * MINUTE_MS });
    const late = await answerOf(connection, "ada");
    vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
    expect(await detailOf(await send(late))).toContain("more than 10 minutes");
  });

  it.each([
    ["truncated", (query: URLSearchParams) => query.set("state", query.get("state")?.slice(0, -1) ?? "")],
    ["changed", (query: URLSearchParams) => query.set("state", `${query.get("state")?.slice(0, -1)}_`)],
    ["missing", (query: URLSearchParams) => query.delete("state")],
    ["sent twice", (query: URLSearchParams) => query.append("state", query.get("state") ?? "")],
  ])("is refused if its state is %s", async (_, change) => {
    expect(await detailOf(await send(changed(change)))).toContain("not started in this tab");
  });

  it("is refused if it names another issuer", async () => {
    const other = new TestProvider(1);
    const mixed = changed((query) => query.set("iss", other.url));
    expect(await detailOf(await send(mixed))).toContain("another provider");
    const unnamed = changed((query) => query.delete("iss"));
    expect(await codeOf(await send(unnamed))).toBe("sign_in_refused");
  });

  it("is refused with the code of another sign-in", async () => {
    const other = new URLSearchParams((await answerOf(connection, "grace")).query);
    const stolen = changed((query) => query.set("code", other.get("code") ?? ""));
    expect(await detailOf(await send(stolen))).toContain("no longer accepts its own answer");
  });

  it("is refused for another use than it was started for", async () => {
    const confirmed = await call("/v1/session/confirm", {
      method: "POST",
      token: owner.token,
      body: { provider: answer },
    });
    expect(await codeOf(confirmed)).toBe("sign_in_refused");
    const tab = new Tab();
    const linking = await tab.visit(await tab.startAs(owner.token, "add_identity", connection), "grace");
    expect(await codeOf(await send(linking))).toBe("sign_in_refused");
  });

  it("says what the provider says if the person cancels", async () => {
    const canceled = await answerOf(connection, null);
    expect(await detailOf(await send(canceled))).toContain("access_denied (The person pressed cancel)");
  });

  it("is refused after the connection was deleted", async () => {
    const path = `/v1/connections/${connection.id}`;
    expect((await call(path, { method: "DELETE", token: owner.token })).status).toBe(204);
    expect(await detailOf(await send(answer))).toContain("removed meanwhile");
    expect(
      await codeOf(
        await call("/v1/sign-in/start", {
          method: "POST",
          body: { connection_id: connection.id, binding_hash: "0".repeat(64) },
        }),
      ),
    ).toBe("not_found");
  });

  it("is refused if the clocks differ by five minutes, with a sentence that says so", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * MINUTE_MS });
    expect(await detailOf(await send(answer))).toContain("clock");
  });
});

describe("GitHub", () => {
  const gitHub = async (input: object = {}) =>
    await createConnection(owner.token, {
      kind: "github",
      name: "GitHub",
      issuer: gitHubUrl(),
      scopes: ["read:user", "user:email", "read:org"],
      ...client,
      ...input,
    });

  it("knows people by their number, with their organizations as groups", async () => {
    const connection = await gitHub({
      join: "group",
      group_grants: [{ group: "9919", grants: [{ role: "deployer" }] }],
    });
    const { token } = await sessionOf(await signInBy(connection, "octocat"));
    expect(await profileOf(token)).toMatchObject({
      member: { name: "The Octocat", email: "octocat@example.com", grants: [{ role: "deployer" }] },
      identities: [{ subject: "583231", name: "octocat" }],
    });
    expect(await codeOf(await signInBy(connection, "noscope"))).toBe("sign_in_refused");
  });

  it("does not map the names of organizations, which others can take", async () => {
    const refused = gitHub({ group_grants: [{ group: "acme", grants: [{ role: "deployer" }] }] });
    await expect(refused).rejects.toThrow("number of an organization");
  });

  it("answers errors with status 200, which are refused", async () => {
    const connection = await gitHub({ client_secret: "wrong" });
    expect(await detailOf(await signInBy(connection, "octocat"))).toContain("client secret");
    const good = await gitHub();
    const answer = await answerOf(good, "octocat");
    const invented = new URLSearchParams(answer.query);
    invented.set("code", "invented");
    const refused = await send({ ...answer, query: invented.toString() });
    expect(await detailOf(refused)).toContain("no longer accepts");
  });
});
