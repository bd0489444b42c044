import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { isWellFormedToken } from "#contract/token-form.ts";
import { Token, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";
import { createAccount, createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { askForToken, listTokens, makeToken, revoke, works } from "../../support/worker/tokens.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The number of rows in `tokens`, of all accounts. */
async function countRows(): Promise<number> {
  return (await env.DB.prepare("SELECT count(*) AS n FROM tokens").first<number>("n")) ?? 0;
}

describe("a new token", () => {
  it("has a secret that is returned once, and is valid for 90 days", async () => {
    const { token: asking } = await createAccount();
    const response = await askForToken(asking, { name: "CI", scopes: ["deployments:write"] });
    expect(response.status).toBe(201);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { token: secret, ...shown } = await response.json<{ token: string }>();
    expect(isWellFormedToken(secret)).toBe(true);
    const token = Token.parse(shown);
    expect(token).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: "CI",
      scopes: ["deployments:write"],
      project_ids: null,
      member: null,
      created_at: expect.stringMatching(/Z$/),
      rotated_at: null,
      kind: "token",
      expires_at: new Date(Date.parse(token.created_at) + 90 * DAY_MS).toISOString(),
      previous_expires_at: null,
      last_used_at: null,
    });
    expect((await listTokens(asking)).tokens[0]).toEqual(token);
    expect(await (await call("/v1/tokens", { token: asking })).text()).not.toContain(secret);
  });

  it("has only the rights that it was given", async () => {
    const { account, projectId } = await copyWorld();
    const { token: secret } = await makeToken(account.token, {
      scopes: ["projects:read", "deployments:write"],
      project_ids: [projectId],
    });
    const me = Account.parse(await (await call("/v1/account", { token: secret })).json());
    expect(me.token).toMatchObject({
      scopes: ["deployments:write", "projects:read"],
      project_ids: [projectId],
    });
    expect((await call(`/v1/projects/${projectId}`, { token: secret })).status).toBe(200);
    expect((await call("/v1/servers", { token: secret })).status).toBe(403);
  });

  it("has the requested lifetime, up to 366 days", async () => {
    const { token: asking } = await createAccount();
    for (const days of [1, 366]) {
      const { created_at, expires_at } = await makeToken(asking, { expires_in_days: days });
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(days * DAY_MS);
    }
  });

  it("can have the name of another token, and repeated scopes and projects count once", async () => {
    const { account, projectId } = await copyWorld();
    const body = { scopes: ["tokens:read", "tokens:read"], project_ids: [projectId, projectId] };
    const [one, other] = [await makeToken(account.token, body), await makeToken(account.token, body)];
    expect(one.name).toBe(other.name);
    expect(one.scopes).toEqual(["tokens:read"]);
    expect(one.project_ids).toEqual([projectId]);
  });

  it.each([
    [{ name: undefined }, ["/name"]],
    [{ name: " CI" }, ["/name"]],
    [{ scopes: undefined }, ["/scopes"]],
    [{ scopes: [] }, ["/scopes"]],
    [{ scopes: ["tokens:read", "deployments:delete"] }, ["/scopes/1"]],
    [{ project_ids: [] }, ["/project_ids"]],
    [{ project_ids: ["shop"] }, ["/project_ids/0"]],
    [{ expires_in_days: 0 }, ["/expires_in_days"]],
    [{ expires_in_days: 367 }, ["/expires_in_days"]],
    [{ expires_in_days: 1.5 }, ["/expires_in_days"]],
    [{ expires_at: "2030-01-01T00:00:00Z" }, ["/expires_at"]],
  ])("is refused with %j and a pointer to it", async (body, pointers) => {
    const { token: asking } = await createAccount();
    const response = await askForToken(asking, body);
    expect(response.status).toBe(422);
    expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual(pointers);
  });

  it("can be limited only to projects of the account", async () => {
    const [mine, theirs] = [await copyWorld("mine"), await copyWorld("theirs")];
    const before = await countRows();
    const project_ids = [ids.project(), mine.projectId, theirs.projectId];
    const response = await askForToken(mine.account.token, { project_ids });
    expect(response.status).toBe(422);
    const problem = await problemOf(response);
    expect(problem.code).toBe("invalid_request");
    expect(problem.errors?.map((error) => error.pointer)).toEqual(["/project_ids/0", "/project_ids/2"]);
    expect(await countRows()).toBe(before);
  });

  it("is created once if the same request is sent twice at the same time", async () => {
    const { token: asking } = await createAccount();
    const headers = { "idempotency-key": "one" };
    const body = { name: "CI", scopes: ["tokens:read"] };
    const ask = async () => {
      const response = await call("/v1/tokens", { method: "POST", token: asking, body, headers });
      return TokenWithSecret.parse(await response.json());
    };
    const [one, other] = await Promise.all([ask(), ask()]);
    expect(other).toEqual(one);
    expect((await listTokens(asking)).tokens).toHaveLength(2);
    expect(await works(one.token)).toBe(true);
  });

  it("is refused if the account has a thousand that are not revoked", async () => {
    const { id, token: asking } = await createAccount();
    const [other, limited] = [
      await createToken(id),
      await createToken(id, { projectIds: [ids.project()], expiresAt: Date.now() }),
    ];
    const copy = env.DB.prepare(
      "INSERT INTO tokens (id, account_id, name, hash, scopes, created_at, expires_at) SELECT ?1, account_id, name, ?1, scopes, created_at, expires_at FROM tokens WHERE id = ?2",
    );
    const copies = Array.from({ length: MAX_PER_ACCOUNT - 4 }, () => copy.bind(ids.token(), other.id));
    await env.DB.batch(copies);
    const both = await Promise.all([askForToken(asking), askForToken(asking)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await problemOf(await askForToken(asking))).toMatchObject({ status: 409, code: "too_many" });
    expect((await listTokens(asking)).tokens).toHaveLength(MAX_PER_ACCOUNT);
    expect((await revoke(asking, limited.id)).status).toBe(204);
    expect((await askForToken(asking)).status).toBe(201);
    expect((await askForToken(asking)).status).toBe(409);
  });
});

describe("a token that creates another", () => {
  it("cannot grant scopes that it does not have, and the problem lists them", async () => {
    const { id } = await createAccount();
    const scopes = ["tokens:write", "projects:write", "deployments:read"] as const;
    const { secret } = await createToken(id, { scopes });
    const before = await countRows();
    const wanted = ["servers:read", "deployments:write", "projects:read"];
    const response = await askForToken(secret, { scopes: wanted });
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer realm="gantry", error="insufficient_scope", scope="tokens:write deployments:write servers:read"',
    );
    const problem = await problemOf(response);
    expect(problem.code).toBe("insufficient_scope");
    expect(problem.detail).toContain("deployments:write, servers:read");
    expect(await countRows()).toBe(before);
    const reads = ["tokens:read", "projects:read", "deployments:read"];
    expect((await askForToken(secret, { scopes: reads })).status).toBe(201);
    expect((await askForToken(secret, { scopes })).status).toBe(201);
  });

  it("passes on its limit to projects", async () => {
    const { account, serverId, projectId } = await copyWorld();
    const second = await call("/v1/projects", {
      method: "POST",
      token: account.token,
      body: { name: "blog", server_id: serverId, repository: "/srv/git/blog.git" },
    });
    const { id: otherId } = await second.json<{ id: string }>();
    const { secret } = await createToken(account.id, { projectIds: [projectId] });
    const details = new Set<string>();
    for (const project_ids of [undefined, null, [otherId], [projectId, otherId], [ids.project()]]) {
      const response = await askForToken(secret, { project_ids });
      expect(response.status).toBe(403);
      expect(response.headers.get("www-authenticate")).toBe(
        'Bearer realm="gantry", error="insufficient_scope", scope="tokens:write"',
      );
      details.add((await problemOf(response)).detail);
    }
    // A project that the token cannot access gets the same answer as a project that does not exist.
    expect(details.size).toBe(1);
    expect((await askForToken(secret, { project_ids: [projectId] })).status).toBe(201);
  });

  it("counts tokens that it cannot access towards the thousand", async () => {
    const { account, projectId } = await copyWorld();
    const { secret } = await createToken(account.id, { projectIds: [projectId] });
    const copy = env.DB.prepare(
      "INSERT INTO tokens (id, account_id, name, hash, scopes, created_at, expires_at) SELECT ?1, account_id, name, ?1, scopes, created_at, expires_at FROM tokens WHERE account_id = ?2 LIMIT 1",
    );
    await env.DB.batch(Array.from({ length: MAX_PER_ACCOUNT - 3 }, () => copy.bind(ids.token(), account.id)));
    expect((await askForToken(secret, { project_ids: [projectId] })).status).toBe(409);
  });
});

describe("the list of tokens", () => {
  it("is newest first, without the revoked ones and with the expired ones", async () => {
    const { id, token: asking } = await createAccount();
    const expired = await createToken(id, { expiresAt: Date.now() - 1 });
    const revoked = await makeToken(asking);
    const newest = await makeToken(asking);
    await revoke(asking, revoked.id);
    const { tokens, next_cursor } = await listTokens(asking);
    expect(next_cursor).toBeNull();
    expect(tokens.map((token) => token.id).slice(0, 2)).toEqual([newest.id, expired.id]);
    expect(tokens).toHaveLength(3);
    expect(Date.parse(tokens[1]?.expires_at ?? "")).toBeLessThan(Date.now());
  });

  it("has each token once across pages, even if tokens are created and revoked meanwhile", async () => {
    const { token: asking } = await createAccount();
    const made = [];
    for (let nth = 0; nth < 4; nth += 1) made.unshift((await makeToken(asking)).id);
    const response = await call("/v1/tokens?limit=2", { token: asking });
    expect(response.headers.get("link")).toMatch(
      /^<https:\/\/gantry\.test\/v1\/tokens\?limit=2&cursor=.+>; rel="next"$/,
    );
    const first = await listTokens(asking, "?limit=2");
    expect(first.tokens.map((token) => token.id)).toEqual(made.slice(0, 2));
    await makeToken(asking);
    await revoke(asking, made[1] ?? "");
    const second = await listTokens(asking, `?limit=2&cursor=${first.next_cursor}`);
    expect(second.tokens.map((token) => token.id)).toEqual(made.slice(2));
    const last = await listTokens(asking, `?limit=2&cursor=${second.next_cursor}`);
    expect(last.tokens).toHaveLength(1);
    expect(last.next_cursor).toBeNull();
    const elsewhere = await call(`/v1/servers?cursor=${first.next_cursor}`, { token: asking });
    expect(elsewhere.status).toBe(422);
  });

  it("shows a token that is limited to projects only those within its limit", async () => {
    const { id, token: asking } = await createAccount();
    const [one, two, three] = [ids.project(), ids.project(), ids.project()];
    const limited = await createToken(id, { projectIds: [one, two] });
    const within = await createToken(id, { projectIds: [two] });
    const outside = [
      await createToken(id, { projectIds: [two, three] }),
      await createToken(id, { projectIds: [three] }),
      await createToken(id),
    ];
    const { tokens } = await listTokens(limited.secret);
    expect(tokens.map((token) => token.id)).toEqual([within.id, limited.id]);
    for (const { id: outsider, secret } of outside) {
      expect((await revoke(limited.secret, outsider)).status).toBe(404);
      const path = `/v1/tokens/${outsider}/rotate`;
      expect((await call(path, { method: "POST", token: limited.secret })).status).toBe(404);
      expect(await works(secret)).toBe(true);
    }
    expect((await revoke(limited.secret, within.id)).status).toBe(204);
    expect((await listTokens(asking)).tokens).toHaveLength(5);
  });

  it("contains no tokens of another account", async () => {
    const [mine, theirs] = [await createAccount("mine"), await createAccount("theirs")];
    const [own, other] = [await makeToken(mine.token), await makeToken(theirs.token)];
    expect((await listTokens(mine.token)).tokens.map((token) => token.id)).toContain(own.id);
    expect((await listTokens(mine.token)).tokens.map((token) => token.id)).not.toContain(other.id);
    expect((await revoke(mine.token, other.id)).status).toBe(404);
    expect(await works(other.token)).toBe(true);
  });
});
