import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { connectCode, isConnectCode } from "#contract/endpoints/connect/connect-code.ts";
import { ClaimedToken, CONNECT_MINUTES, MAX_PENDING_CONNECTS } from "#contract/endpoints/connect/schemas.ts";
import { OwnTokens } from "#contract/endpoints/profile/schemas.ts";
import { bytesOf, toBase64Url } from "#sealing/bytes.ts";
import { createAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { addMember, createOwner, type Person } from "../../support/worker/members.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { createSession } from "../../support/worker/sessions.ts";
import { works } from "../../support/worker/tokens.ts";

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;

type Secret = { readonly verifier: string; readonly challenge: string };

/** What a command makes, and its hash. */
async function newSecret(): Promise<Secret> {
  const verifier = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest("SHA-256", bytesOf(verifier));
  return { verifier, challenge: toBase64Url(new Uint8Array(hash)) };
}

async function connect(
  { token }: Pick<Person, "token">,
  { challenge }: Secret,
  more: object = {},
): Promise<Response> {
  const scopes = ["deployments:read", "projects:read"];
  const body = { challenge, code: connectCode(challenge), name: "laptop", scopes, ...more };
  return await call("/v1/tokens/connect", { method: "POST", token, body });
}

async function claim({ verifier }: Secret, proof?: string): Promise<Response> {
  return await call("/v1/tokens/claim", { method: "POST", body: { verifier, proof } });
}

const claimed = async (response: Response) => ClaimedToken.parse(await response.json());
const codeOf = async (response: Response) => (await problemOf(response)).code;

async function team() {
  const account = await createAccount();
  const owner = await createOwner(account);
  return { account, owner };
}

const remove = async (owner: Person, { id }: Person) =>
  await call(`/v1/members/${id}`, { method: "DELETE", token: owner.token });

describe("a command that a person allows", () => {
  it("gets a personal token with the scopes that were allowed, within the person's rights", async () => {
    const { account, owner } = await team();
    const grace = await addMember(owner.token, [{ role: "deployer" }]);
    const secret = await newSecret();
    expect(await codeOf(await claim(secret))).toBe("sign_in_pending");
    const granted = await connect(grace, secret, { expires_in_days: 7 });
    expect(granted.status).toBe(201);
    const response = await claim(secret);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { id, token, expires_at: expires } = await claimed(response);
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(6.9 * 24 * 60 * MINUTE_MS);
    expect(await (await call("/v1/account", { token })).json()).toMatchObject({
      token: { id, name: "laptop", scopes: ["deployments:read", "projects:read"], project_ids: null },
      member: { id: grace.id, name: "Grace", is_owner: false },
      permissions: [{ scopes: ["deployments:read", "projects:read"], project_ids: null }],
    });
    const own = OwnTokens.parse(await (await call("/v1/me/tokens", { token: grace.token })).json());
    expect(own.tokens).toMatchObject([{ id, kind: "token" }, { kind: "session" }]);
    // A demotion narrows it, as any personal token.
    await call(`/v1/members/${grace.id}`, {
      method: "PATCH",
      token: owner.token,
      body: { grants: [{ role: "viewer" }] },
    });
    expect((await call("/v1/tokens", { token })).status).toBe(403);
    const entries = await recordedEntries(account.id);
    expect(entries.filter(({ action }) => action === "connectCommand")).toMatchObject([
      { outcome: "done", target: { type: "member", id: grace.id }, changes: { token: { after: "laptop" } } },
    ]);
    expect(entries.filter(({ action }) => action === "claimToken")).toMatchObject([
      { outcome: "done", target: { type: "token", id, name: "laptop" } },
    ]);
    const events = await recordedEvents(account.id);
    expect(events.filter(({ type }) => type === "token.created").at(-1)).toMatchObject({
      data: { actor: { id, name: "Grace", member: { id: grace.id } }, token: { id, name: "laptop" } },
    });
  });

  it("gets one token, also by simultaneous claims", async () => {
    const { owner } = await team();
    const secret = await newSecret();
    await connect(owner, secret);
    const answers = await Promise.all([claim(secret), claim(secret), claim(secret)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 409, 409,
    ]);
    expect(await codeOf(await claim(secret))).toBe("sign_in_pending");
    const made = await env.DB.prepare("SELECT count(*) AS n FROM tokens WHERE name = 'laptop'").first("n");
    expect(made).toBe(1);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM connect_grants").first("n")).toBe(0);
  });

  it("gets nothing when the person is removed before the claim", async () => {
    const { owner } = await team();
    const grace = await addMember(owner.token, [{ role: "deployer" }]);
    const secret = await newSecret();
    await connect(grace, secret);
    expect((await remove(owner, grace)).status).toBe(204);
    expect(await codeOf(await claim(secret))).toBe("sign_in_pending");
  });

  it("has no token that works when the person is removed at the same moment", async () => {
    const { owner } = await team();
    for (let round = 0; round < 5; round += 1) {
      const grace = await addMember(owner.token, [{ role: "deployer" }]);
      const secret = await newSecret();
      await connect(grace, secret);
      const [response] = await Promise.all([claim(secret), remove(owner, grace)]);
      if (response.status === 200) expect(await works((await claimed(response)).token)).toBe(false);
      else expect(await codeOf(response)).toBe("sign_in_pending");
    }
  });

  it("gets nothing after 10 minutes, and the answer is the same as for an unknown verifier", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { owner } = await team();
    const secret = await newSecret();
    await connect(owner, secret);
    vi.setSystemTime(Date.now() + CONNECT_MINUTES * MINUTE_MS);
    const late = await problemOf(await claim(secret));
    const unknown = await problemOf(await claim(await newSecret()));
    expect({ ...late, request_id: "" }).toEqual({ ...unknown, request_id: "" });
  });

  it("needs the proof of the page if the page has made one", async () => {
    const { owner } = await team();
    const [secret, proof] = [await newSecret(), await newSecret()];
    await connect(owner, secret, { proof_challenge: proof.challenge });
    expect(await codeOf(await claim(secret))).toBe("sign_in_pending");
    expect(await codeOf(await claim(secret, (await newSecret()).verifier))).toBe("sign_in_pending");
    expect((await claim(secret, proof.verifier)).status).toBe(200);
    // Any page can send a proof to the command.
    const without = await newSecret();
    await connect(owner, without);
    expect((await claim(without, proof.verifier)).status).toBe(200);
  });

  it("causes no write while nobody has allowed it", async () => {
    const { account } = await team();
    const before = (await recordedEntries(account.id)).length;
    for (let poll = 0; poll < 3; poll += 1) expect((await claim(await newSecret())).status).toBe(409);
    expect((await recordedEntries(account.id)).length).toBe(before);
  });

  it("must send 32 bytes", async () => {
    const response = await call("/v1/tokens/claim", { method: "POST", body: { verifier: "guess" } });
    expect(await problemOf(response)).toMatchObject({ status: 422, errors: [{ pointer: "/verifier" }] });
  });
});

describe("the page that allows it", () => {
  it("must send the code that the command shows", async () => {
    const { owner } = await team();
    const secret = await newSecret();
    const refused = await problemOf(await connect(owner, secret, { code: "0000-0000" }));
    expect(refused).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/code" }] });
    expect(await codeOf(await claim(secret))).toBe("sign_in_pending");
    const typed = connectCode(secret.challenge).toLowerCase().replace("-", " ");
    expect((await connect(owner, secret, { code: typed })).status).toBe(201);
  });

  it("needs a member who is signed in and has confirmed it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const account = await createAccount();
    expect(await codeOf(await connect(account, await newSecret()))).toBe("person_required");
    expect(await codeOf(await connect(await createSession(account.id), await newSecret()))).toBe(
      "person_required",
    );
    const owner = await createOwner(account);
    vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
    expect(await codeOf(await connect(owner, await newSecret()))).toBe("reauthentication_required");
  });

  it("cannot allow scopes that the person has nowhere, or unknown projects", async () => {
    const { owner } = await team();
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    const excess = await problemOf(
      await connect(grace, await newSecret(), { scopes: ["deployments:write"] }),
    );
    expect(excess).toMatchObject({
      code: "insufficient_scope",
      detail: expect.stringContaining("deployments:write"),
    });
    const elsewhere = { project_ids: ["proj_01kaf4tan7n2x6j3t8e1c4rh9y"] };
    expect(await codeOf(await connect(grace, await newSecret(), elsewhere))).toBe("invalid_request");
  });

  it("cannot allow a command twice for different tokens, nor more than 20 that have not taken their token", async () => {
    const { owner } = await team();
    const secret = await newSecret();
    const first = await connect(owner, secret);
    expect(first.status).toBe(201);
    // A repeated request whose answer was lost.
    expect(await (await connect(owner, secret)).json()).toEqual(await first.json());
    const grace = await addMember(owner.token, [{ role: "viewer" }]);
    expect((await connect(grace, secret)).status).toBe(422);
    expect((await connect((await team()).owner, secret)).status).toBe(422);
    expect(await problemOf(await connect(owner, secret, { scopes: ["tokens:read"] }))).toMatchObject({
      code: "invalid_request",
      errors: [{ pointer: "/challenge" }],
    });
    for (let more = 1; more < MAX_PENDING_CONNECTS; more += 1)
      expect((await connect(owner, await newSecret())).status).toBe(201);
    expect(await codeOf(await connect(owner, await newSecret()))).toBe("too_many");
    expect((await claim(secret)).status).toBe(200);
    expect((await connect(owner, await newSecret())).status).toBe(201);
  });
});

describe("the code of a sign-in", () => {
  it("is the first 40 bits of the challenge, and takes letters that look like digits", () => {
    // Eight groups of five bits: 01000 01001 00010 ….
    expect(connectCode("QSAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")).toBe("84G0-0000");
    expect(isConnectCode("84go oooo", "QSAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")).toBe(true);
    expect(isConnectCode("84G0-0001", "QSAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")).toBe(false);
  });
});
