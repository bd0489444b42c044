import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { InvitationWithLink, MemberDetails, MemberRows } from "#contract/endpoints/members/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import type { Event } from "#contract/endpoints/events/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { createAccount, createToken, newSecret, type TestAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import {
  accept,
  addMember,
  challengeFor,
  confirm,
  createOwner,
  invite,
  newPasskey,
  type Person,
  signInWith,
} from "../../support/worker/members.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { createSession } from "../../support/worker/sessions.ts";
import { works } from "../../support/worker/tokens.ts";

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;

async function accountOf(token: string): Promise<Account> {
  return Account.parse(await (await call("/v1/account", { token })).json());
}

async function change({ id }: Pick<Person, "id">, by: string, body: object): Promise<Response> {
  return await call(`/v1/members/${id}`, { method: "PATCH", token: by, body });
}

async function remove({ id }: Pick<Person, "id">, by: string): Promise<Response> {
  return await call(`/v1/members/${id}`, { method: "DELETE", token: by });
}

async function membersOf(token: string) {
  return MemberRows.parse(await (await call("/v1/members", { token })).json()).members;
}

let projects = 0;

/** A project of the account, on a server of its own. */
async function createProject({
  token,
}: Pick<TestAccount, "token">): Promise<{ project: Pick<Project, "id"> }> {
  projects += 1;
  const name = `shop-${projects}`;
  const { serverId } = await enrolAgent(token, name);
  const body = { name, server_id: serverId, repository: "/srv/git/shop.git" };
  const created = await call("/v1/projects", { method: "POST", token, body });
  return { project: Project.parse(await created.json()) };
}

const ofType = (events: readonly Event[], type: string) => events.filter((event) => event.type === type);

const codeOf = async (response: Response) => (await problemOf(response)).code;

describe("the first owner", () => {
  it("is the person with a sign-in link, and the session becomes theirs", async () => {
    const account = await createAccount("Acme");
    const { id, token } = await createSession(account.id);
    expect(await accountOf(token)).toMatchObject({ has_owner: false, member: null });
    const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    const body = { name: "Ada", email: "Ada@Example.com", passkey: sent, passkey_name: "Laptop" };
    const response = await call("/v1/owner", { method: "POST", token, body });
    expect(response.status).toBe(201);
    const owner = await response.json<{ id: string }>();
    expect(owner).toMatchObject({ name: "Ada", email: "ada@example.com", is_owner: true, passkeys: 1 });
    expect(await accountOf(token)).toMatchObject({
      has_owner: true,
      member: { id: owner.id, name: "Ada", is_owner: true },
      token: { id },
    });
    const [event] = ofType(await recordedEvents(account.id), "member.joined");
    expect(event?.data).toMatchObject({
      member: { id: owner.id, name: "Ada" },
      actor: { type: "token", id, name: "Ada", member: { id: owner.id, name: "Ada" } },
    });
  });

  it("is one person, also of two at the same time", async () => {
    const account = await createAccount();
    const sessions = await Promise.all([createSession(account.id), createSession(account.id)]);
    const answers = await Promise.all(
      sessions.map(async ({ token }) => {
        const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
        const body = { name: "Ada", passkey: sent, passkey_name: "Laptop" };
        return await call("/v1/owner", { method: "POST", token, body });
      }),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect(await membersOf(account.token)).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused && (await codeOf(refused))).toBe("owner_exists");
  });

  it("is not an API token", async () => {
    const account = await createAccount();
    const { token } = await createSession(account.id);
    const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    const body = { name: "Ada", passkey: sent, passkey_name: "Laptop" };
    const response = await call("/v1/owner", { method: "POST", token: account.token, body });
    expect(await codeOf(response)).toBe("person_required");
  });

  it("cannot have the address of a member, whom a service token has invited before", async () => {
    const account = await createAccount();
    const email = "grace@example.com";
    await accept(await invite(account.token, [{ role: "viewer" }], { email }), "Grace");
    const { token } = await createSession(account.id);
    const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    const body = { name: "Ada", email, passkey: sent, passkey_name: "Laptop" };
    expect(await codeOf(await call("/v1/owner", { method: "POST", token, body }))).toBe("email_taken");
    const { email: _, ...without } = body;
    expect((await call("/v1/owner", { method: "POST", token, body: without })).status).toBe(201);
  });

  it("is not made by the challenge of another session", async () => {
    const account = await createAccount();
    const [one, other] = [await createSession(account.id), await createSession(account.id)];
    const { sent } = await newPasskey(await challengeFor(other.token, "add_passkey"));
    const body = { name: "Ada", passkey: sent, passkey_name: "Laptop" };
    const response = await call("/v1/owner", { method: "POST", token: one.token, body });
    expect(await codeOf(response)).toBe("invalid_passkey");
    expect(await membersOf(account.token)).toEqual([]);
  });

  it("is the same for a retry with the Idempotency-Key, although the challenge was answered", async () => {
    const { id: accountId } = await createAccount();
    const { token } = await createSession(accountId);
    const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    const body = { name: "Ada", passkey: sent, passkey_name: "Laptop" };
    const headers = { "idempotency-key": "owner" };
    const send = async () => {
      const response = await call("/v1/owner", { method: "POST", token, body, headers });
      // As if the isolate had died before it stored the response.
      await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL").run();
      return [response.status, await response.json()];
    };
    const [first, second] = [await send(), await send()];
    expect(first).toMatchObject([201, { name: "Ada", is_owner: true }]);
    expect(second).toEqual(first);
    expect(ofType(await recordedEvents(accountId), "member.joined")).toHaveLength(1);
  });
});

describe("an invitation", () => {
  it("makes a member with its grants, and tells the inviter", async () => {
    const account = await createAccount("Acme");
    const owner = await createOwner(account);
    const code = await invite(owner.token, [{ role: "viewer" }], { email: "grace@example.com" });
    const found = await call("/v1/invitations/look-up", { method: "POST", body: { code } });
    expect(await found.json()).toMatchObject({
      account: "Acme",
      invited_by: "Ada",
      email: "grace@example.com",
      grants: [{ role: "viewer", project_ids: null, extra_scopes: [] }],
    });
    const { response, passkey } = await accept(code, "Grace");
    expect(response.status).toBe(201);
    expect((await membersOf(owner.token)).map(({ name, email }) => [name, email])).toEqual([
      ["Grace", "grace@example.com"],
      ["Ada", null],
    ]);
    expect((await signInWith(passkey)).status).toBe(201);
    const events = ofType(await recordedEvents(account.id), "member.joined");
    expect(events.map(({ data }) => data)).toMatchObject([
      { member: { name: "Ada" } },
      { member: { name: "Grace" } },
    ]);
  });

  it("works once: of two people who accept it at the same time, one joins", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const code = await invite(owner.token, [{ role: "viewer" }]);
    const answers = await Promise.all([accept(code, "Grace"), accept(code, "Joan"), accept(code, "Mary")]);
    expect(answers.map(({ response }) => response.status).toSorted((a, b) => a - b)).toEqual([201, 401, 401]);
    expect(await membersOf(owner.token)).toHaveLength(2);
    const { response } = await accept(code, "Eve");
    expect(await codeOf(response)).toBe("invalid_token");
  });

  it("that is unknown, expired, withdrawn or malformed gets the same answer", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const account = await createAccount();
    const { secret } = await createToken(account.id, { expiresAt: Date.now() + 7 * 24 * 60 * MINUTE_MS });
    const owner = await createOwner(account);
    const expired = await invite(owner.token, [{ role: "viewer" }], { expires_in_days: 1 });
    vi.setSystemTime(Date.now() + 24 * 60 * MINUTE_MS);
    const withdrawn = await invite(secret, [{ role: "viewer" }]);
    const listed = await call("/v1/invitations", { token: secret });
    const { invitations } = await listed.json<{ invitations: { id: string }[] }>();
    expect(invitations).toHaveLength(1);
    const path = `/v1/invitations/${invitations[0]?.id}`;
    expect((await call(path, { method: "DELETE", token: secret })).status).toBe(204);
    const answers = await Promise.all(
      [expired, withdrawn, newSecret("invitation"), newSecret("recovery"), "code"].map(
        async (code) =>
          await (await call("/v1/invitations/look-up", { method: "POST", body: { code } })).json<object>(),
      ),
    );
    const bodies = answers.map((answer) => JSON.stringify({ ...answer, request_id: null }));
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain("invalid_token");
  });

  it("does not work again after it was used, if its first request is sent again", async () => {
    const owner = await createOwner(await createAccount());
    const create = async () => {
      const body = { grants: [{ role: "viewer" }] };
      const headers = { "idempotency-key": "invite" };
      const response = await call("/v1/invitations", { method: "POST", token: owner.token, body, headers });
      expect(response.status).toBe(201);
      return InvitationWithLink.parse(await response.json());
    };
    const { id, link } = await create();
    const code = new URL(link).hash.slice("#code=".length);
    await accept(code, "Grace");
    // The isolate died before it stored the answer.
    await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL").run();
    expect(await create()).toMatchObject({ id, link });
    const found = await call("/v1/invitations/look-up", { method: "POST", body: { code } });
    expect(found.status).toBe(401);
  });

  it("gives nobody more than the inviter has, and never makes an owner", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const { project } = await createProject(account);
    const few = await createToken(account.id, { scopes: ["members:write", "deployments:read"] });
    const wanted = async (grants: readonly object[], token = few.secret) =>
      await call("/v1/invitations", { method: "POST", token, body: { grants } });
    expect(await codeOf(await wanted([{ role: "viewer" }]))).toBe("insufficient_scope");
    expect(await codeOf(await wanted([{ role: "admin", project_ids: [project.id] }]))).toBe(
      "insufficient_scope",
    );
    const limited = await createToken(account.id, { projectIds: [project.id] });
    expect(await codeOf(await wanted([{ role: "viewer" }], limited.secret))).toBe("insufficient_scope");
    expect((await wanted([{ role: "owner" }], owner.token)).status).toBe(422);
    const unknown = await wanted(
      [{ role: "viewer", project_ids: [(await createProject(await createAccount())).project.id] }],
      owner.token,
    );
    expect(await problemOf(unknown)).toMatchObject({
      code: "invalid_request",
      errors: [{ pointer: "/grants/0/project_ids/0" }],
    });
  });

  it("is refused for an address with invisible characters", async () => {
    const owner = await createOwner(await createAccount());
    const body = { email: "gra\u{200b}ce@example.com", grants: [{ role: "viewer" }] };
    const invited = await call("/v1/invitations", { method: "POST", token: owner.token, body });
    expect(await codeOf(invited)).toBe("invalid_request");
  });

  it("for the address of a member is refused", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    await accept(await invite(owner.token, [{ role: "viewer" }], { email: "grace@example.com" }), "Grace");
    const body = { email: "GRACE@example.com", grants: [{ role: "viewer" }] };
    const again = await call("/v1/invitations", { method: "POST", token: owner.token, body });
    expect(await codeOf(again)).toBe("email_taken");
  });
});

describe("a member", () => {
  it("sees all and deploys one project", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const [shop, blog] = [await createProject(account), await createProject(account)];
    const grace = await addMember(owner.token, [
      { role: "viewer" },
      { role: "deployer", project_ids: [shop.project.id] },
    ]);
    const listed = await call("/v1/projects", { token: grace.token });
    expect((await listed.json<{ projects: unknown[] }>()).projects).toHaveLength(2);
    const deploy = async (id: string) =>
      await call(`/v1/projects/${id}/deployments`, { method: "POST", token: grace.token, body: {} });
    expect((await deploy(shop.project.id)).status).toBe(201);
    expect((await deploy(blog.project.id)).status).toBe(404);
    const settings = { method: "PATCH", token: grace.token, body: { branch: "dev" } };
    expect(await codeOf(await call(`/v1/projects/${shop.project.id}`, settings))).toBe("insufficient_scope");
  });

  it("gets one personal token for all that they may do", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const [shop, blog] = [await createProject(account), await createProject(account)];
    const grace = await addMember(owner.token, [
      { role: "viewer" },
      { role: "deployer", project_ids: [shop.project.id] },
    ]);
    const make = async (scopes: readonly string[]) =>
      await call("/v1/me/tokens", { method: "POST", token: grace.token, body: { name: "laptop", scopes } });
    expect(await codeOf(await make(["commands:run"]))).toBe("insufficient_scope");
    const made = await make(["deployments:write", "projects:read"]);
    const { token } = TokenWithSecret.parse(await made.json());
    const deploy = async ({ project }: typeof shop) =>
      (await call(`/v1/projects/${project.id}/deployments`, { method: "POST", token, body: {} })).status;
    expect([await deploy(shop), await deploy(blog)]).toEqual([201, 404]);
    const listed = await call("/v1/projects", { token });
    expect((await listed.json<{ projects: unknown[] }>()).projects).toHaveLength(2);
  });

  it("passes a guard only in the projects in which they have the scope", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const [shop, blog] = [await createProject(account), await createProject(account)];
    const grace = await addMember(owner.token, [
      { role: "deployer" },
      { role: "admin", project_ids: [blog.project.id] },
    ]);
    const deploy = async (id: string) =>
      await call(`/v1/projects/${id}/deployments`, {
        method: "POST",
        token: grace.token,
        body: { emergency: "The site is down." },
      });
    expect(await codeOf(await deploy(shop.project.id))).toBe("insufficient_scope");
    expect((await deploy(blog.project.id)).status).toBe(201);
  });

  it("loses what is taken from them at once, also with a personal token", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const { project } = await createProject(account);
    const grace = await addMember(owner.token, [{ role: "admin" }]);
    const body = { name: "laptop", scopes: ["deployments:write", "tokens:write"] };
    const made = await call("/v1/me/tokens", { method: "POST", token: grace.token, body });
    const personal = TokenWithSecret.parse(await made.json());
    expect(personal.member).toEqual({ id: grace.id, name: "Grace" });
    const deploy = async () =>
      (
        await call(`/v1/projects/${project.id}/deployments`, {
          method: "POST",
          token: personal.token,
          body: {},
        })
      ).status;
    expect(await deploy()).toBe(201);
    expect((await change(grace, owner.token, { grants: [{ role: "viewer" }] })).status).toBe(200);
    expect(await deploy()).toBe(403);
    expect((await accountOf(personal.token)).permissions).toEqual([
      { scopes: ["deployments:read"], project_ids: null },
    ]);
    const service = await call("/v1/tokens", { method: "POST", token: grace.token, body });
    expect(service.status).toBe(403);
  });

  it("keeps their address from callers who may do less", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const [grace, joan] = [
      await addMember(owner.token, [{ role: "admin" }]),
      await addMember(owner.token, [{ role: "deployer" }], "Joan"),
    ];
    const few = await createToken(account.id, { scopes: ["members:write"] });
    const body = { email: "eve@example.com" };
    for (const person of [grace, joan])
      expect(await codeOf(await change(person, few.secret, body))).toBe("insufficient_scope");
    expect((await change(grace, few.secret, { name: "Grace H." })).status).toBe(200);
    expect((await change(joan, grace.token, body)).status).toBe(200);
  });

  it("who is removed can do nothing, and what they made for others stays", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const grace = await addMember(owner.token, [{ role: "admin" }]);
    const body = { name: "CI", scopes: ["deployments:write"] };
    const [service, personal] = await Promise.all(
      ["/v1/tokens", "/v1/me/tokens"].map(async (path) =>
        TokenWithSecret.parse(await (await call(path, { method: "POST", token: grace.token, body })).json()),
      ),
    );
    const details = MemberDetails.parse(
      await (await call(`/v1/members/${grace.id}`, { token: owner.token })).json(),
    );
    expect(details.created).toEqual({ tokens: [{ id: service?.id, name: "CI" }], trust_rules: [] });
    expect((await remove(grace, owner.token)).status).toBe(204);
    expect(await works(grace.token)).toBe(false);
    expect(await works(personal?.token ?? "")).toBe(false);
    expect(await works(service?.token ?? "")).toBe(true);
    expect(await codeOf(await signInWith(grace.passkey))).toBe("invalid_passkey");
    expect(await codeOf(await remove(grace, owner.token))).toBe("not_found");
    const rows = async (table: string) =>
      await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE member_id = ?`)
        .bind(grace.id)
        .first("n");
    expect([await rows("passkeys"), await rows("recovery_codes")]).toEqual([0, 0]);
  });

  it("is shown as the actor of what they do, with sessions and with personal tokens", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const { project } = await createProject(account);
    await call(`/v1/projects/${project.id}/deployments`, { method: "POST", token: owner.token, body: {} });
    const [event] = ofType(await recordedEvents(account.id), "deployment.started");
    expect(event?.data).toMatchObject({
      actor: { type: "token", name: "Ada", member: { id: owner.id, name: "Ada" } },
      deployment: { actor: { name: "Ada", member: { id: owner.id } } },
    });
  });

  it("with a personal token of another member's cannot rotate it", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const grace = await addMember(owner.token, [{ role: "admin" }]);
    const body = { name: "laptop", scopes: ["deployments:write"] };
    const made = await call("/v1/me/tokens", { method: "POST", token: owner.token, body });
    const { id } = TokenWithSecret.parse(await made.json());
    for (const token of [grace.token, account.token]) {
      const rotated = await call(`/v1/tokens/${id}/rotate`, { method: "POST", token, body: {} });
      expect(await codeOf(rotated)).toBe("not_found");
    }
  });
});

describe("a member who is removed", () => {
  it("while they sign in gets no session", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    let isRemoved = false;
    aroundCalls(Object.getPrototypeOf(env.DB), "batch", async (original) => {
      if (!isRemoved) {
        isRemoved = true;
        expect((await remove(grace, owner.token)).status).toBe(204);
      }
      return await original();
    });
    expect(await codeOf(await signInWith(grace.passkey))).toBe("invalid_passkey");
    const sessions = env.DB.prepare(
      "SELECT count(*) AS n FROM tokens WHERE member_id = ? AND revoked_at IS NULL",
    );
    expect(await sessions.bind(grace.id).first("n")).toBe(0);
  });

  it("leaves no enrolment that they made, and neither does one with less rights", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const [grace, joan] = [
      await addMember(owner.token, [{ role: "admin" }]),
      await addMember(owner.token, [{ role: "admin" }], "Joan"),
    ];
    const enrollments = await Promise.all(
      [grace, joan].map(async ({ token, name }) => {
        const body = { name: name.toLowerCase(), ip: "192.0.2.1" };
        return ServerCreated.parse(await (await call("/v1/servers", { method: "POST", token, body })).json())
          .enrollment;
      }),
    );
    await remove(grace, owner.token);
    await change(joan, owner.token, { grants: [{ role: "deployer" }] });
    for (const { token } of enrollments) {
      const body = { token, hostname: "web", agent_version: "0.2.0" };
      const enrolled = await call("/v1/agent/enroll", { method: "POST", body });
      expect(await codeOf(enrolled)).toBe("invalid_token");
    }
  });
});

describe("owners", () => {
  it("are changed only by owners who are signed in and have confirmed it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const account = await createAccount();
    const owner = await createOwner(account);
    const grace = await addMember(owner.token, [{ role: "admin" }]);
    const promote = { is_owner: true };
    for (const token of [account.token, grace.token])
      expect(await codeOf(await change(grace, token, promote))).toBe("person_required");
    expect(await codeOf(await change(owner, grace.token, { is_owner: false }))).toBe("person_required");
    expect(await codeOf(await remove(owner, account.token))).toBe("person_required");
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    expect(await codeOf(await change(grace, owner.token, promote))).toBe("reauthentication_required");
    expect((await confirm(owner)).status).toBe(204);
    expect((await change(grace, owner.token, promote)).status).toBe(200);
    expect((await confirm(grace)).status).toBe(204);
    expect((await change(owner, grace.token, { is_owner: false, grants: [{ role: "viewer" }] })).status).toBe(
      200,
    );
    expect((await accountOf(owner.token)).member?.is_owner).toBe(false);
  });

  it("stay at least one, whatever is sent at the same time", async () => {
    const account = await createAccount();
    const ada = await createOwner(account);
    const grace = await addMember(ada.token, [{ role: "admin" }]);
    expect((await change(grace, ada.token, { is_owner: true })).status).toBe(200);
    const answers = await Promise.all([
      change(ada, grace.token, { is_owner: false }),
      remove(grace, ada.token),
      change(grace, ada.token, { is_owner: false }),
      remove(ada, grace.token),
    ]);
    const codes = await Promise.all(
      answers.map(async (answer) => (answer.ok ? "done" : await codeOf(answer))),
    );
    expect(codes.filter((code) => code === "done")).toHaveLength(1);
    expect((await membersOf(account.token)).filter((member) => member.is_owner)).toHaveLength(1);
  });

  it("cannot be lost by the last one leaving", async () => {
    const account = await createAccount();
    const ada = await createOwner(account);
    expect(await codeOf(await remove(ada, ada.token))).toBe("last_owner");
    expect(await codeOf(await change(ada, ada.token, { is_owner: false }))).toBe("last_owner");
    expect(await works(ada.token)).toBe(true);
  });
});

describe("a change of members", () => {
  it("is in the audit log with who made it and what changed", async () => {
    const account = await createAccount();
    const owner = await createOwner(account);
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    await change(grace, owner.token, { grants: [{ role: "deployer" }] });
    await remove(grace, owner.token);
    const entries = await recordedEntries(account.id);
    const shown = entries.filter(({ target }) => target?.type === "member");
    expect(shown).toMatchObject([
      { action: "createOwner", target: { name: "Ada" }, changes: { is_owner: { after: true } } },
      { action: "acceptInvitation", target: { name: "Grace" }, changes: { is_owner: { after: false } } },
      { action: "updateMember", changes: { grants: { after: [{ role: "deployer" }] } } },
      { action: "removeMember", target: { id: grace.id, name: "Grace" } },
    ]);
  });
});
