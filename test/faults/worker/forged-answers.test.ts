import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import type { Connection } from "#contract/endpoints/connections/schemas.ts";
import { createAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { newKey, publicJwk, signed, TestIssuer } from "../../support/worker/issuer.ts";
import { createOwner, type Person } from "../../support/worker/members.ts";
import { client, createConnection, send, Tab } from "../../support/worker/providers.ts";

// A provider that answers whatever the test says, and counts no code.

const CONFIGURATION = "/.well-known/openid-configuration";

let owner: Person;
let issuer: TestIssuer;
let connection: Connection;
let answers: Record<
  string,
  { status?: number; body: string; delayMs?: number; headers?: Record<string, string> }
>;

beforeEach(async () => {
  owner = await createOwner(await createAccount());
  issuer = await TestIssuer.start();
  answers = {
    [CONFIGURATION]: {
      body: JSON.stringify({
        issuer: issuer.url,
        authorization_endpoint: `${issuer.url}/authorize`,
        token_endpoint: `${issuer.url}/token`,
        jwks_uri: `${issuer.url}/jwks`,
      }),
    },
    "/jwks": { body: JSON.stringify({ keys: [await publicJwk(issuer.key)] }) },
  };
  await issuer.answers(answers);
  connection = await createConnection(owner.token, {
    issuer: issuer.url,
    join: "domain",
    domains: ["example.com"],
    join_grants: [{ role: "viewer" }],
  });
});

const rowsWritten = async () =>
  await env.DB.prepare(
    "SELECT (SELECT count(*) FROM tokens) + (SELECT count(*) FROM members) + (SELECT count(*) FROM used_secrets) + (SELECT count(*) FROM audit_entries) AS n",
  ).first("n");

const json = { "content-type": "application/json" };

/** Starts a sign-in, and what the token endpoint needs for its answer. */
async function begin() {
  const tab = new Tab();
  const url = new URL(await tab.start(connection));
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer.url,
    aud: client.client_id,
    sub: "grace",
    iat: now,
    exp: now + 300,
    nonce: url.searchParams.get("nonce"),
    email: "grace@example.com",
    email_verified: true,
    name: "Grace Hopper",
    groups: [],
  };
  const query = new URLSearchParams({ code: "any", state: url.searchParams.get("state") ?? "" });
  return { url, claims, answer: { query: query.toString(), binding: tab.binding } };
}

const tokenAnswer = (identity: string) => ({
  headers: json,
  body: JSON.stringify({ access_token: "x", token_type: "bearer", id_token: identity }),
});

const set = async (more: typeof answers) => {
  answers = { ...answers, ...more };
  await issuer.answers(answers);
};

const detailOf = async (response: Response) => (await problemOf(response)).detail;

describe("an answer with an identity token", () => {
  it("that is right counts once, also at the same time, although the provider accepts its code twice", async () => {
    const { claims, answer } = await begin();
    await set({ "/token": tokenAnswer(await signed(issuer.key, claims)) });
    const responses = await Promise.all([send(answer), send(answer), send(answer)]);
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 403, 403,
    ]);
    expect(await detailOf(await send(answer))).toContain("complete already");
  });

  it.each([
    ["the nonce of another sign-in", { nonce: "other" }, "belongs to another sign-in"],
    ["no nonce", { nonce: undefined }, "nonce"],
    ["another client as its audience", { aud: "other" }, "another client"],
    ["another issuer", { iss: "https://evil.example" }, "another issuer"],
    ["no subject", { sub: undefined }, "sub"],
    ["an end five minutes ago", { exp: Math.floor(Date.now() / 1000) - 300 }, "clock"],
  ])("with %s is refused, and writes nothing", async (_, changed, sentence) => {
    const { claims, answer } = await begin();
    await set({ "/token": tokenAnswer(await signed(issuer.key, { ...claims, ...changed })) });
    const before = await rowsWritten();
    const refused = await problemOf(await send(answer));
    expect(refused).toMatchObject({ code: "sign_in_refused", detail: expect.stringContaining(sentence) });
    expect(await rowsWritten()).toBe(before);
  });

  it("that somebody else has signed is refused", async () => {
    const { claims, answer } = await begin();
    const thief = await newKey("RS256", issuer.key.kid);
    await set({ "/token": tokenAnswer(await signed(thief, claims)) });
    expect((await problemOf(await send(answer))).code).toBe("sign_in_refused");
    const unsigned = await begin();
    const none = await signed(issuer.key, unsigned.claims, { alg: "none" });
    await set({ "/token": tokenAnswer(none) });
    expect((await problemOf(await send(unsigned.answer))).code).toBe("sign_in_refused");
  });

  it("that is signed with a new key of the provider counts", async () => {
    const first = await begin();
    await set({ "/token": tokenAnswer(await signed(issuer.key, first.claims)) });
    expect((await send(first.answer)).status).toBe(201);
    const key = await newKey();
    const second = await begin();
    await set({
      "/jwks": { body: JSON.stringify({ keys: [await publicJwk(key)] }) },
      "/token": tokenAnswer(await signed(key, second.claims)),
    });
    expect((await send(second.answer)).status).toBe(201);
  });

  it("whose address is verified by another source than it comes from finds nobody", async () => {
    await set({
      [CONFIGURATION]: {
        body: JSON.stringify({
          ...JSON.parse(answers[CONFIGURATION]?.body ?? "{}"),
          userinfo_endpoint: `${issuer.url}/userinfo`,
        }),
      },
      "/userinfo": {
        headers: json,
        body: JSON.stringify({ sub: "grace", email: "grace@other.example", email_verified: true }),
      },
    });
    connection = await createConnection(owner.token, {
      issuer: issuer.url,
      join: "domain",
      domains: ["example.com"],
      join_grants: [{ role: "viewer" }],
    });
    const { claims, answer } = await begin();
    const unverified = { ...claims, email_verified: undefined };
    await set({ "/token": tokenAnswer(await signed(issuer.key, unverified)) });
    expect((await problemOf(await send(answer))).code).toBe("sign_in_refused");
  });
});

describe("a confirmation", () => {
  it("by somebody who has signed in at the provider long ago is refused", async () => {
    const session = await begin();
    await set({ "/token": tokenAnswer(await signed(issuer.key, session.claims)) });
    const { token } = await (await send(session.answer)).json<{ token: string }>();
    const confirm = async (authenticatedAt: number) => {
      const tab = new Tab();
      const url = new URL(await tab.startAs(token, "confirm", connection));
      expect([url.searchParams.get("prompt"), url.searchParams.get("max_age")]).toEqual(["login", "0"]);
      const claims = { ...session.claims, nonce: url.searchParams.get("nonce"), auth_time: authenticatedAt };
      await set({ "/token": tokenAnswer(await signed(issuer.key, claims)) });
      const query = new URLSearchParams({ code: "any", state: url.searchParams.get("state") ?? "" });
      const provider = { query: query.toString(), binding: tab.binding };
      return await call("/v1/session/confirm", { method: "POST", token, body: { provider } });
    };
    const now = Math.floor(Date.now() / 1000);
    expect(await detailOf(await confirm(now - 3_600))).toContain("did not ask you to sign in again");
    expect((await confirm(now)).status).toBe(204);
  });
});

describe("a provider", () => {
  it.each([
    ["is down", { status: 502, body: "" }, 503, "status 502"],
    ["redirects", { status: 302, headers: { location: "https://example.com/" }, body: "" }, 503, "redirects"],
    ["is slow", { delayMs: 6_000, body: "{}" }, 503, "within 5 seconds"],
    [
      "answers 200 with an error",
      { headers: json, body: '{"error":"temporarily_unavailable"}' },
      403,
      "temporarily_unavailable",
    ],
    [
      "answers 200 with a page",
      { headers: { "content-type": "text/html" }, body: "<html>" },
      403,
      "not as OpenID Connect demands",
    ],
    [
      "gives no identity token",
      { headers: json, body: '{"access_token":"x","token_type":"bearer"}' },
      403,
      "not as OpenID Connect demands",
    ],
    [
      "refuses the client",
      { status: 401, headers: json, body: '{"error":"invalid_client"}' },
      403,
      "client secret",
    ],
  ])(
    "that %s gives an answer with a sentence, and the sign-in can be tried again",
    async (_, fault, status, sentence) => {
      const { claims, answer } = await begin();
      await set({ "/token": fault });
      const refused = await problemOf(await send(answer));
      expect(refused).toMatchObject({ status, detail: expect.stringContaining(sentence) });
      await set({ "/token": tokenAnswer(await signed(issuer.key, claims)) });
      expect((await send(answer)).status).toBe(201);
    },
  );
});
