import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { OwnTokens, Passkey, Profile, RecoveryCodes } from "#contract/endpoints/profile/schemas.ts";
import { PasskeyChallenge } from "#contract/endpoints/sessions/passkeys.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { createAccount, newSecret } from "../../support/worker/account.ts";
import { Authenticator } from "../../support/authenticator.ts";
import { beforeWrite } from "../../support/worker/before-write.ts";
import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";
import {
  addMember,
  challengeFor,
  confirm,
  createOwner,
  newPasskey,
  type Person,
  signInWith,
} from "../../support/worker/members.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { createSession, createSignInCode, signIn } from "../../support/worker/sessions.ts";
import { works } from "../../support/worker/tokens.ts";

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;

const codeOf = async (response: Response) => (await problemOf(response)).code;

const created = async (path: string, token: string, body: object = {}) =>
  await call(path, { method: "POST", token, body });

async function profileOf({ token }: Pick<Person, "token">): Promise<Profile> {
  return Profile.parse(await (await call("/v1/me", { token })).json());
}

async function addPasskey(token: string, name: string): Promise<Response> {
  const asked = await created("/v1/session/challenge", token, { act: "add_passkey" });
  if (!asked.ok) return asked;
  const { sent } = await newPasskey(PasskeyChallenge.parse(await asked.json()));
  return await created("/v1/me/passkeys", token, { name, passkey: sent });
}

async function ownerOf(account: { id: Parameters<typeof createSession>[0] }) {
  return await createOwner(account);
}

describe("a sign-in with a passkey", () => {
  it("needs no name, and gives a confirmed session of the member", async () => {
    const account = await createAccount();
    const owner = await ownerOf(account);
    const response = await signInWith(owner.passkey);
    expect(response.status).toBe(201);
    const session = SessionCreated.parse(await response.json());
    expect(session).toMatchObject({ member: { id: owner.id, name: "Ada" } });
    expect((await created("/v1/me/recovery-codes", session.token)).status).toBe(201);
    expect((await profileOf(session)).passkeys).toMatchObject([{ name: "Laptop", rp_id: "gantry.test" }]);
  });

  it("answers a challenge once, also in simultaneous requests", async () => {
    const { passkey } = await ownerOf(await createAccount());
    const asked = await call("/v1/sign-in/challenge", { method: "POST", body: {} });
    const { challenge, rp_id: rpId } = PasskeyChallenge.parse(await asked.json());
    const sent = await passkey.sign({ challenge, origin: ORIGIN, rpId });
    const send = async () => await call("/v1/sessions", { method: "POST", body: { passkey: sent } });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403]);
    expect(await codeOf(await send())).toBe("invalid_passkey");
  });

  it.each([
    ["an invented challenge", { challenge: "VGhpc0lzT25seUFuRXhhbXBsZQ" }],
    ["another page", { origin: "https://evil.test" }],
    ["another host name", { rpId: "evil.test" }],
  ])("is refused with %s", async (_, changed) => {
    const { passkey } = await ownerOf(await createAccount());
    const asked = await call("/v1/sign-in/challenge", { method: "POST", body: {} });
    const { challenge, rp_id: rpId } = PasskeyChallenge.parse(await asked.json());
    const sent = await passkey.sign({ challenge, origin: ORIGIN, rpId, ...changed });
    const response = await call("/v1/sessions", { method: "POST", body: { passkey: sent } });
    expect(await codeOf(response)).toBe("invalid_passkey");
  });

  it("is refused for a passkey that nobody has registered, without a write", async () => {
    const asked = await call("/v1/sign-in/challenge", { method: "POST", body: {} });
    const { challenge, rp_id: rpId } = PasskeyChallenge.parse(await asked.json());
    const sent = await (await Authenticator.create()).sign({ challenge, origin: ORIGIN, rpId });
    expect(await codeOf(await call("/v1/sessions", { method: "POST", body: { passkey: sent } }))).toBe(
      "invalid_passkey",
    );
    const used = await env.DB.prepare("SELECT count(*) AS n FROM used_secrets").first("n");
    expect(used).toBe(0);
  });

  it("is refused after the challenge has expired", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { passkey } = await ownerOf(await createAccount());
    const asked = await call("/v1/sign-in/challenge", { method: "POST", body: {} });
    const { challenge, rp_id: rpId } = PasskeyChallenge.parse(await asked.json());
    const sent = await passkey.sign({ challenge, origin: ORIGIN, rpId });
    vi.setSystemTime(Date.now() + 6 * MINUTE_MS);
    const response = await call("/v1/sessions", { method: "POST", body: { passkey: sent } });
    expect((await problemOf(response)).detail).toContain("expired");
  });

  it("is refused if the count of signatures does not rise", async () => {
    const { passkey } = await ownerOf(await createAccount());
    expect((await signInWith(passkey, 7)).status).toBe(201);
    expect(await codeOf(await signInWith(passkey, 7))).toBe("invalid_passkey");
    expect((await signInWith(passkey, 8)).status).toBe(201);
  });

  it("does not lower the count of signatures if another one with a higher count comes between", async () => {
    const { passkey } = await ownerOf(await createAccount());
    beforeWrite('insert into "tokens"', async () => await signInWith(passkey, 6));
    expect(await codeOf(await signInWith(passkey, 5))).toBe("invalid_passkey");
    expect(await env.DB.prepare("SELECT sign_count FROM passkeys").first("sign_count")).toBe(6);
  });

  it("that is refused for a known passkey is in the audit log", async () => {
    const account = await createAccount();
    const { passkey, id } = await ownerOf(account);
    const asked = await call("/v1/sign-in/challenge", { method: "POST", body: {} });
    const { challenge, rp_id: rpId } = PasskeyChallenge.parse(await asked.json());
    const sent = await passkey.sign({ challenge, origin: "https://evil.test", rpId });
    await call("/v1/sessions", { method: "POST", body: { passkey: sent } });
    await vi.waitFor(async () => {
      const refused = (await recordedEntries(account.id)).filter(({ outcome }) => outcome === "refused");
      expect(refused).toMatchObject([
        { action: "createSession", code: "invalid_passkey", target: { type: "member", id } },
      ]);
    });
  });

  it("needs an address with a host name", async () => {
    const response = await call("/v1/sign-in/challenge", { method: "POST", body: {} });
    expect(response.status).toBe(200);
    const { exports } = await import("cloudflare:workers");
    const local = new Request("http://127.0.0.1:8787/v1/sign-in/challenge", { method: "POST" });
    const refused = await exports.default.fetch(local);
    expect(await problemOf(refused)).toMatchObject({
      code: "host_name_required",
      detail: expect.stringContaining("http://localhost:8787"),
    });
  });
});

describe("a session of a member", () => {
  it("must be confirmed again for what lets a thief stay, ten minutes after the passkey was used", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const account = await createAccount();
    const owner = await ownerOf(account);
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    const token = { name: "laptop", scopes: ["deployments:write"] };
    const admin = { grants: [{ role: "admin" }] };
    expect((await created("/v1/me/tokens", owner.token, token)).status).toBe(201);
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    const [passkey] = (await profileOf(owner)).passkeys;
    const dangerous = [
      created("/v1/me/tokens", owner.token, token),
      created("/v1/tokens", owner.token, token),
      created("/v1/me/recovery-codes", owner.token),
      addPasskey(owner.token, "Phone"),
      call(`/v1/me/passkeys/${passkey?.id}`, { method: "DELETE", token: owner.token }),
      created("/v1/invitations", owner.token, admin),
      call("/v1/me", { method: "PATCH", token: owner.token, body: { email: "eve@example.com" } }),
      call(`/v1/members/${grace.id}`, {
        method: "PATCH",
        token: owner.token,
        body: { email: "eve@example.com" },
      }),
      call(`/v1/members/${grace.id}`, { method: "PATCH", token: owner.token, body: admin }),
    ];
    for (const response of await Promise.all(dangerous))
      expect(await codeOf(response)).toBe("reauthentication_required");
    expect((await confirm(owner)).status).toBe(204);
    expect((await created("/v1/me/tokens", owner.token, token)).status).toBe(201);
  });

  it("is confirmed only by a passkey of its member, and a challenge of its own", async () => {
    const account = await createAccount();
    const owner = await ownerOf(account);
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    expect(await codeOf(await confirm({ token: owner.token, passkey: grace.passkey }))).toBe(
      "invalid_passkey",
    );
    const { challenge, rp_id: rpId } = await challengeFor(grace.token, "confirm");
    const sent = await owner.passkey.sign({ challenge, origin: ORIGIN, rpId });
    const response = await created("/v1/session/confirm", owner.token, { passkey: sent });
    expect(await codeOf(response)).toBe("invalid_passkey");
  });

  it("and personal tokens are listed, revoked one by one, or ended all at once", async () => {
    const account = await createAccount();
    const owner = await ownerOf(account);
    const [other, last] = await Promise.all([signInWith(owner.passkey), signInWith(owner.passkey)]);
    const sessions = [SessionCreated.parse(await other.json()), SessionCreated.parse(await last.json())];
    const made = await created("/v1/me/tokens", owner.token, {
      name: "laptop",
      scopes: ["deployments:read"],
    });
    const personal = TokenWithSecret.parse(await made.json());
    const own = OwnTokens.parse(await (await call("/v1/me/tokens", { token: owner.token })).json());
    expect(own.tokens.map(({ kind }) => kind).filter((kind) => kind === "session")).toHaveLength(3);
    const path = `/v1/me/tokens/${sessions[0]?.id}`;
    expect((await call(path, { method: "DELETE", token: owner.token })).status).toBe(204);
    expect(await works(sessions[0]?.token ?? "")).toBe(false);
    expect((await call("/v1/me/sessions", { method: "DELETE", token: owner.token })).status).toBe(204);
    expect([await works(owner.token), await works(sessions[1]?.token ?? "")]).toEqual([false, false]);
    expect(await works(personal.token)).toBe(true);
  });

  it("is listed and ended by a member with roles in some projects only", async () => {
    const project = await TestProject.create();
    const answer = await call("/v1/account", { token: project.token });
    const owner = await ownerOf(Account.parse(await answer.json()));
    const grace = await addMember(owner.token, [{ role: "viewer", project_ids: [project.id] }]);
    const { tokens } = OwnTokens.parse(await (await call("/v1/me/tokens", { token: grace.token })).json());
    expect(tokens.map(({ id }) => id)).toEqual([grace.tokenId]);
    expect((await call("/v1/session", { method: "DELETE", token: grace.token })).status).toBe(204);
    expect(await works(grace.token)).toBe(false);
    const again = SessionCreated.parse(await (await signInWith(grace.passkey, 1)).json());
    expect((await call("/v1/me/sessions", { method: "DELETE", token: again.token })).status).toBe(204);
    expect(await works(again.token)).toBe(false);
  });

  it("shows nothing of another member's", async () => {
    const account = await createAccount();
    const owner = await ownerOf(account);
    const grace = await addMember(owner.token, [{ role: "admin" }]);
    const path = `/v1/me/tokens/${owner.tokenId}`;
    expect(await codeOf(await call(path, { method: "DELETE", token: grace.token }))).toBe("not_found");
    const [passkey] = (await profileOf(owner)).passkeys;
    const theirs = `/v1/me/passkeys/${passkey?.id}`;
    expect(
      await codeOf(await call(theirs, { method: "PATCH", token: grace.token, body: { name: "Mine" } })),
    ).toBe("not_found");
    expect(await codeOf(await call("/v1/me", { token: account.token }))).toBe("person_required");
    expect(await codeOf(await call("/v1/me", { token: (await createSession(account.id)).token }))).toBe(
      "person_required",
    );
  });
});

describe("passkeys of a member", () => {
  it("are added, renamed and removed, except the last one", async () => {
    const account = await createAccount();
    const owner = await ownerOf(account);
    const added = Passkey.parse(await (await addPasskey(owner.token, "Phone")).json());
    const renamed = await call(`/v1/me/passkeys/${added.id}`, {
      method: "PATCH",
      token: owner.token,
      body: { name: "Old phone" },
    });
    expect(await renamed.json()).toMatchObject({ name: "Old phone" });
    const [first] = (await profileOf(owner)).passkeys;
    const remove = async (id: string | undefined) =>
      await call(`/v1/me/passkeys/${id}`, { method: "DELETE", token: owner.token });
    const answers = await Promise.all([remove(first?.id), remove(added.id)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
    const [left] = (await profileOf(owner)).passkeys;
    expect(await codeOf(await remove(left?.id))).toBe("last_passkey");
    const events = (await recordedEvents(account.id)).map(({ type }) => type);
    expect(events.filter((type) => type.startsWith("passkey."))).toEqual([
      "passkey.added",
      "passkey.removed",
    ]);
  });

  it("is added once by retries with an Idempotency-Key, although the challenge was answered", async () => {
    const { token } = await ownerOf(await createAccount());
    const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    const headers = { "idempotency-key": "phone" };
    const send = async () => {
      const body = { name: "Phone", passkey: sent };
      const response = await call("/v1/me/passkeys", { method: "POST", token, body, headers });
      // As if the isolate had died before it stored the response.
      await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL").run();
      return [response.status, await response.json()];
    };
    const first = await send();
    expect(first).toMatchObject([201, { name: "Phone" }]);
    expect(await send()).toEqual(first);
    expect((await profileOf({ token })).passkeys).toHaveLength(2);
  });

  it("that are registered already are refused", async () => {
    const owner = await ownerOf(await createAccount());
    const { challenge, rp_id: rpId } = await challengeFor(owner.token, "add_passkey");
    const sent = await owner.passkey.register({ challenge, origin: ORIGIN, rpId });
    const response = await created("/v1/me/passkeys", owner.token, { name: "Twin", passkey: sent });
    expect((await problemOf(response)).detail).toContain("registered here already");
  });
});

describe("a recovery code", () => {
  it("works once, and only to add a passkey", async () => {
    const account = await createAccount();
    const owner = await ownerOf(account);
    const { codes } = RecoveryCodes.parse(await (await created("/v1/me/recovery-codes", owner.token)).json());
    expect(codes).toHaveLength(8);
    const recover = async (code = "") =>
      await call("/v1/sessions", { method: "POST", body: { recovery_code: code } });
    const answers = await Promise.all([recover(codes[0]), recover(codes[0])]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401]);
    const session = answers.find(({ ok }) => ok);
    const { token } = SessionCreated.parse(await session?.json());
    expect((await call("/v1/projects", { token })).status).toBe(403);
    expect(
      await codeOf(await created("/v1/me/tokens", token, { name: "x", scopes: ["projects:read"] })),
    ).toBe("reauthentication_required");
    expect((await addPasskey(token, "New phone")).status).toBe(201);
    expect((await profileOf(owner)).recovery_codes).toBe(7);
    expect((await call("/v1/session", { method: "DELETE", token })).status).toBe(204);
    expect(await works(token)).toBe(false);
    const events = await recordedEvents(account.id);
    expect(events.map(({ type }) => type)).toContain("member.recovered");
    for (const code of [newSecret("recovery"), newSecret("sign_in"), "x"])
      expect(await codeOf(await recover(code))).toBe("invalid_token");
  });

  it("of an earlier set does not work", async () => {
    const owner = await ownerOf(await createAccount());
    const codesOf = async () =>
      RecoveryCodes.parse(await (await created("/v1/me/recovery-codes", owner.token)).json()).codes;
    const [earlier] = await codesOf();
    await codesOf();
    const response = await call("/v1/sessions", { method: "POST", body: { recovery_code: earlier } });
    expect(await codeOf(response)).toBe("invalid_token");
  });
});

describe("a sign-in link", () => {
  it("stays the way back into an account with an owner, and is announced", async () => {
    const account = await createAccount();
    const before = await signIn(await createSignInCode(account.id));
    expect(before.status).toBe(201);
    await ownerOf(account);
    const { member } = SessionCreated.parse(await (await signIn(await createSignInCode(account.id))).json());
    expect(member).toBeNull();
    const events = await recordedEvents(account.id);
    expect(events.filter(({ type }) => type === "account.link_used")).toHaveLength(1);
  });

  it("of a member signs that member in, who can add a passkey", async () => {
    const account = await createAccount();
    const owner = await ownerOf(account);
    const code = await createSignInCode(account.id);
    await env.DB.prepare("UPDATE sign_in_codes SET member_id = ?").bind(owner.id).run();
    const session = SessionCreated.parse(await (await signIn(code)).json());
    expect(session.member).toEqual({ id: owner.id, name: "Ada" });
    expect((await addPasskey(session.token, "New laptop")).status).toBe(201);
  });
});
