import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { TrustRuleRows, TrustTest } from "#contract/endpoints/trust-rules/schemas.ts";
import { createAccount, createToken, ids } from "../../support/worker/account.ts";
import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";
import { newKey, signed, TestIssuer } from "../../support/worker/issuer.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { works } from "../../support/worker/tokens.ts";
import { createRule, exchange, exchanged, job, ruleOf } from "../../support/worker/trust-rules.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const create = async (token: string, body: unknown) =>
  await call("/v1/trust-rules", { method: "POST", token, body });

describe("a trust rule", () => {
  it("can be created, read, listed, changed and deleted", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    const response = await create(token, ruleOf(issuer));
    expect(response.status).toBe(201);
    const made: { id: string } = await response.json();
    const path = `/v1/trust-rules/${made.id}`;
    expect(response.headers.get("location")).toBe(path);
    expect(made).toMatchObject({
      issuer: issuer.url,
      subject_claim: "project_id",
      audience: ORIGIN,
      claims: {
        pipeline_source: ["push", "web", "schedule", "api", "trigger"],
        ref_protected: ["true"],
        ref_path: ["refs/heads/main"],
      },
      project_ids: null,
      lifetime_minutes: 30,
      last_used_at: null,
    });
    expect(await (await call(path, { token })).json()).toEqual(made);
    const claims = { pipeline_source: ["push"], ref_protected: ["true"], environment: ["production"] };
    const changed = await call(path, {
      method: "PATCH",
      token,
      body: { claims: { pipeline_source: ["push"], environment: ["production"] }, lifetime_minutes: 5 },
    });
    expect(await changed.json()).toEqual({ ...made, claims, lifetime_minutes: 5 });
    const list = TrustRuleRows.parse(await (await call("/v1/trust-rules", { token })).json());
    expect(list.trust_rules).toEqual([{ ...made, claims, lifetime_minutes: 5 }]);
    expect((await call(path, { method: "DELETE", token })).status).toBe(204);
    expect((await call(path, { token })).status).toBe(404);
  });

  it("is recorded with what it trusts and what changed", async () => {
    const account = await createAccount();
    const { token } = account;
    const { id } = await createRule(token, ruleOf(await TestIssuer.start()));
    const path = `/v1/trust-rules/${id}`;
    await call(path, { method: "PATCH", token, body: { name: "shop", scopes: ["deployments:write"] } });
    await call(path, { method: "PATCH", token, body: { name: "shop" } });
    await call(path, { method: "DELETE", token });
    expect((await recordedEvents(account.id)).map(({ type }) => type)).toEqual([
      "trust_rule.created",
      "trust_rule.updated",
      "trust_rule.deleted",
    ]);
    expect(await recordedEntries(account.id)).toMatchObject([
      { action: "createTrustRule", changes: { subject: { before: null, after: "7" } } },
      { action: "updateTrustRule", changes: { name: { before: "shop, main", after: "shop" } } },
      { action: "deleteTrustRule", target: { type: "trust_rule", id, name: "shop" } },
    ]);
  });

  it("gives no more than the token that creates or changes it has", async () => {
    const world = await copyWorld();
    const { id, token } = world.account;
    const issuer = await TestIssuer.start();
    const limited = await createToken(id, {
      scopes: ["tokens:write", "deployments:write"],
      projectIds: [world.projectId],
    });
    const excess = [{}, { scopes: ["projects:write"], project_ids: [world.projectId] }];
    for (const more of excess) {
      const refused = await create(limited.secret, ruleOf(issuer, more));
      expect([refused.status, (await problemOf(refused)).code]).toEqual([403, "insufficient_scope"]);
    }
    const own = await createRule(limited.secret, ruleOf(issuer, { project_ids: [world.projectId] }));
    const widened = await call(`/v1/trust-rules/${own.id}`, {
      method: "PATCH",
      token: limited.secret,
      body: { project_ids: null },
    });
    expect(widened.status).toBe(403);
    const other = await createRule(token, ruleOf(issuer));
    expect((await call(`/v1/trust-rules/${other.id}`, { token: limited.secret })).status).toBe(404);
  });

  it("gives no job what makes tokens or approves deployments", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    for (const scope of ["tokens:write", "members:write", "deployments:approve", "deployments:emergency"]) {
      const refused = await create(token, ruleOf(issuer, { scopes: [scope] }));
      expect(await problemOf(refused)).toMatchObject({ status: 422, errors: [{ pointer: "/scopes/0" }] });
    }
  });

  it.each([
    [{ subject: "acme/shop" }, "/subject"],
    [{ claims: {} }, "/claims"],
    [{ claims: { ref_path: ["*"] } }, "/claims/ref_path"],
    [{ claims: { ref_path: [] } }, "/claims/ref_path"],
    [{ claims: { "a b": ["x"] } }, "/claims/a b"],
    [{ claims: { pipeline_source: ["merge_request_event"], ref_path: ["x"] } }, "/claims/pipeline_source"],
    [{ issuer: "ftp://gitlab.test" }, "/issuer"],
    [{ issuer: "https://user@gitlab.test" }, "/issuer"],
    [{ provider: "circleci", subject: crypto.randomUUID(), issuer: undefined }, "/issuer"],
    [{ lifetime_minutes: 121 }, "/lifetime_minutes"],
    [{ project_ids: [ids.project()] }, "/project_ids/0"],
  ])("with %j is refused at %s", async (more, pointer) => {
    const { token } = await createAccount();
    const refused = await create(token, ruleOf(await TestIssuer.start(), more));
    expect(await problemOf(refused)).toMatchObject({ status: 422, errors: [{ pointer }] });
  });

  it("revokes the tokens of its jobs when it is deleted, or trusts or gives something else", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    const { id } = await createRule(token, ruleOf(issuer, { scopes: ["projects:read"] }));
    const path = `/v1/trust-rules/${id}`;
    const isAlive = async (secret: string) =>
      (await env.DB.prepare("select revoked_at from tokens where kind = 'exchange' order by id desc").first(
        "revoked_at",
      )) === null && (await works(secret));
    const first = await exchanged(await issuer.token(job));
    await call(path, { method: "PATCH", token, body: { name: "other", lifetime_minutes: 60 } });
    expect(await isAlive(first)).toBe(true);
    await call(path, { method: "PATCH", token, body: { scopes: ["deployments:write"] } });
    expect(await isAlive(first)).toBe(false);
    const second = await exchanged(await issuer.token(job));
    await call(path, { method: "DELETE", token });
    expect(await isAlive(second)).toBe(false);
    expect((await exchange(await issuer.token(job))).status).toBe(400);
  });

  it("cannot get more by two changes at the same time than either sender may give", async () => {
    const world = await copyWorld();
    const issuer = await TestIssuer.start();
    const body = ruleOf(issuer, { scopes: ["projects:read"], project_ids: [world.projectId] });
    const { id: account, token } = world.account;
    const [wide, strong] = [
      await createToken(account, { scopes: ["tokens:write", "projects:read"] }),
      await createToken(account, { scopes: ["tokens:write", "commands:run"], projectIds: [world.projectId] }),
    ];
    for (let round = 0; round < 5; round += 1) {
      const { id } = await createRule(token, body);
      const path = `/v1/trust-rules/${id}`;
      const statuses = await Promise.all([
        call(path, { method: "PATCH", token: wide.secret, body: { project_ids: null } }),
        call(path, { method: "PATCH", token: strong.secret, body: { scopes: ["commands:run"] } }),
      ]);
      expect(statuses.filter(({ status }) => status === 200).length).toBeLessThan(2);
      expect(await (await call(path, { token })).json()).not.toMatchObject({
        scopes: ["commands:run"],
        project_ids: null,
      });
    }
  });

  it("keeps the tokens of its jobs if a change of it is refused", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    const { id } = await createRule(token, ruleOf(issuer));
    const secret = await exchanged(await issuer.token(job));
    const body = { project_ids: [ids.project()] };
    expect((await call(`/v1/trust-rules/${id}`, { method: "PATCH", token, body })).status).toBe(422);
    const revoked = await env.DB.prepare(
      "select count(*) as count from tokens where revoked_at is not null",
    ).first("count");
    expect(revoked).toBe(0);
    expect(await works(secret)).toBe(true);
  });

  it("of another account is not found", async () => {
    const { token } = await createAccount();
    const { id } = await createRule(token, ruleOf(await TestIssuer.start()));
    const { token: other } = await createAccount("other");
    const body = { name: "mine" };
    for (const [method, given] of [
      ["GET", {}],
      ["PATCH", { body }],
      ["DELETE", {}],
    ] as const)
      expect((await call(`/v1/trust-rules/${id}`, { method, token: other, ...given })).status).toBe(404);
  });
});

describe("a test of an identity token", () => {
  const test = async (token: string, subject_token: string) => {
    const response = await call("/v1/trust-rules/test", { method: "POST", token, body: { subject_token } });
    return TrustTest.parse(await response.json());
  };

  it("says which rule gives a token, and which claim is in the way of the others", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer, { name: "other", subject: "8" }));
    await createRule(token, ruleOf(issuer));
    const identity = await issuer.token(job);
    expect(await test(token, identity)).toMatchObject({
      issuer: issuer.url,
      claims: { project_id: "7", ref_path: "refs/heads/main" },
      problem: null,
      verdicts: [
        { trust_rule: { name: "shop, main" }, problem: null },
        { trust_rule: { name: "other" }, problem: "The token has the project_id 7. The rule requires 8." },
      ],
    });
    expect((await exchange(identity)).status).toBe(200);
  });

  it("takes an expired token, and says so", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    const expired = await issuer.token({ ...job, exp: Math.floor(Date.now() / 1000) - 3_600 });
    expect(await test(token, expired)).toMatchObject({
      problem: "It expired 60 minutes ago.",
      verdicts: [{ problem: null }],
    });
  });

  it("says that a token is forged, of an unknown issuer, or none", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    const now = Math.floor(Date.now() / 1000);
    const forged = await signed(await newKey(), { ...job, iss: issuer.url, aud: ORIGIN, exp: now + 60 });
    expect((await test(token, forged)).problem).toContain("no key with the id");
    const stranger = await TestIssuer.start();
    expect((await test(token, await stranger.token(job))).problem).toContain(
      "No trust rule names the issuer",
    );
    expect(await stranger.asked()).toEqual([]);
    expect(await test(token, "eyJhbGciOi")).toMatchObject({ issuer: null, verdicts: [] });
  });

  it("shows nothing of rules of other accounts", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    const { token: other } = await createAccount("other");
    expect(await test(other, await issuer.token(job))).toMatchObject({ verdicts: [] });
    expect(await issuer.asked()).toEqual([]);
  });
});
