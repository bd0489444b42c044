import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { ACCESS_TOKEN_TYPE, JWT_TYPE, TOKEN_EXCHANGE } from "#contract/endpoints/trust-rules/schemas.ts";
import { createAccount } from "../../support/worker/account.ts";
import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";
import { newKey, signed, TestIssuer } from "../../support/worker/issuer.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { listTokens } from "../../support/worker/tokens.ts";
import { createRule, exchange, exchanged, job, ruleOf } from "../../support/worker/trust-rules.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Everything that an exchange could write. */
async function rowsWritten(): Promise<number> {
  const counted = await env.DB.prepare(
    "select (select count(*) from tokens where kind = 'exchange') + (select count(*) from used_secrets) + (select count(*) from audit_entries where action = 'exchangeToken') as count",
  ).first<number>("count");
  return counted ?? 0;
}

describe("the exchange of an identity token", () => {
  it("gives a job a token with the scopes and projects of the rule, for its lifetime", async () => {
    const world = await copyWorld();
    const { token } = world.account;
    const issuer = await TestIssuer.start();
    const rule = await createRule(
      token,
      ruleOf(issuer, {
        project_ids: [world.projectId],
        scopes: ["deployments:write", "projects:read"],
        lifetime_minutes: 5,
      }),
    );
    const response = await exchange(await issuer.token(job));
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { access_token: secret, ...answer }: { access_token: string } = await response.json();
    expect(answer).toEqual({
      issued_token_type: ACCESS_TOKEN_TYPE,
      token_type: "Bearer",
      expires_in: 300,
      scope: "deployments:write projects:read",
    });
    const account = await (await call("/v1/account", { token: secret })).json();
    expect(account).toMatchObject({
      id: world.account.id,
      token: {
        name: rule.name,
        scopes: ["deployments:write", "projects:read"],
        project_ids: [world.projectId],
      },
    });
    const started = await call(`/v1/projects/${world.projectId}/deployments`, {
      method: "POST",
      token: secret,
      body: {},
    });
    expect(started.status).toBe(201);
    expect((await call("/v1/servers", { token: secret })).status).toBe(403);
    const used: { last_used_at: string | null } = await (
      await call(`/v1/trust-rules/${rule.id}`, { token })
    ).json();
    expect(used.last_used_at).not.toBeNull();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_001 });
    expect((await call("/v1/account", { token: secret })).status).toBe(401);
  });

  it("takes a form, as clients of OAuth send it", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start("ES256");
    await createRule(token, ruleOf(issuer));
    const form = new URLSearchParams({
      grant_type: TOKEN_EXCHANGE,
      subject_token: await issuer.token(job),
      subject_token_type: JWT_TYPE,
      requested_token_type: "",
    });
    const sent = { method: "POST", raw: form.toString() };
    const headers = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
    expect((await call("/v1/token-exchange", { ...sent, headers })).status).toBe(200);
    const twice = { ...sent, raw: `${form.toString()}&subject_token=x`, headers };
    expect(await problemOf(await call("/v1/token-exchange", twice))).toMatchObject({
      code: "invalid_request",
      error: "invalid_request",
      errors: [{ pointer: "/subject_token" }],
    });
    expect((await call("/v1/tokens", { ...sent, token, headers })).status).toBe(415);
  });

  it("is refused with the error codes of OAuth", async () => {
    const other = await exchange("x", { grant_type: "client_credentials" });
    expect(await problemOf(other)).toMatchObject({ status: 422, error: "unsupported_grant_type" });
    const malformed = await exchange("x");
    expect(await problemOf(malformed)).toMatchObject({
      status: 400,
      code: "invalid_identity_token",
      error: "invalid_request",
    });
  });

  it("counts once, also at the same time, and each further one is recorded", async () => {
    const account = await createAccount();
    const { token } = account;
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    for (const claims of [job, { ...job, jti: undefined }]) {
      const identity = await issuer.token(claims);
      const responses = await Promise.all([exchange(identity), exchange(identity), exchange(identity)]);
      expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        200, 400, 400,
      ]);
      const again = await problemOf(await exchange(identity));
      expect(again.detail).toContain("already exchanged");
    }
    await expect
      .poll(async () => (await recordedEntries(account.id)).filter(({ outcome }) => outcome === "refused"))
      .toHaveLength(6);
  });

  it("is in the audit log with the claims of the job, and causes no event", async () => {
    const account = await createAccount();
    const issuer = await TestIssuer.start();
    const { id } = await createRule(account.token, ruleOf(issuer));
    await exchanged(await issuer.token({ ...job, user_login: "ada", sha: "8e8412f" }));
    const [, entry] = await recordedEntries(account.id);
    expect(entry).toMatchObject({
      action: "exchangeToken",
      outcome: "done",
      target: { type: "trust_rule", id, name: "shop, main" },
      changes: {
        project_id: { before: null, after: "7" },
        user_login: { before: null, after: "ada" },
        ref_path: { before: null, after: "refs/heads/main" },
      },
    });
    expect((await recordedEvents(account.id)).map(({ type }) => type)).toEqual(["trust_rule.created"]);
  });

  it("gives a token that is in no list and cannot be rotated", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    const secret = await exchanged(await issuer.token(job));
    const { token: own }: { token: { id: string } } = await (
      await call("/v1/account", { token: secret })
    ).json();
    expect((await listTokens(token)).tokens.map(({ id }) => id)).not.toContain(own.id);
    const rotated = await call(`/v1/tokens/${own.id}/rotate`, { method: "POST", token, body: {} });
    expect(rotated.status).toBe(404);
    expect((await call(`/v1/tokens/${own.id}`, { method: "DELETE", token })).status).toBe(204);
    expect((await call("/v1/account", { token: secret })).status).toBe(401);
  });

  it("of a known sender whose claims do not match is refused with the claim, and recorded", async () => {
    const account = await createAccount();
    const issuer = await TestIssuer.start();
    const { id } = await createRule(account.token, ruleOf(issuer));
    const refused = await exchange(await issuer.token({ ...job, ref_path: "refs/heads/dev" }));
    expect((await problemOf(refused)).detail).toContain(
      "The token has the ref_path refs/heads/dev. The rule requires refs/heads/main.",
    );
    await expect
      .poll(async () => await recordedEntries(account.id))
      .toMatchObject([
        { action: "createTrustRule" },
        {
          action: "exchangeToken",
          outcome: "refused",
          code: "invalid_identity_token",
          target: { type: "trust_rule", id },
          changes: { ref_path: { after: "refs/heads/dev" } },
        },
      ]);
  });

  it("of a stranger reads one row, writes nothing and asks nobody", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer, { subject: "8" }));
    const stranger = await TestIssuer.start();
    const before = await rowsWritten();
    for (const identity of [await stranger.token(job), await issuer.token(job), "a.b.c"])
      expect((await exchange(identity)).status).toBe(400);
    expect(await rowsWritten()).toBe(before);
    expect([...(await stranger.asked()), ...(await issuer.asked())]).toEqual([]);
  });

  it("is refused for what is forged, expired, early, or for somebody else", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    const now = Math.floor(Date.now() / 1000);
    const thief = await newKey("RS256", issuer.key.kid);
    const before = await rowsWritten();
    const refused: [string, string][] = [
      [await signed(thief, { ...job, iss: issuer.url, aud: ORIGIN, exp: now + 60 }), "No trust rule matches"],
      [await issuer.token({ ...job, exp: now - 300 }), "expired 5 minutes ago"],
      [await issuer.token({ ...job, nbf: now + 300 }), "not valid yet"],
      [await issuer.token({ ...job, aud: "https://other.test" }), "for the audience https://other.test"],
      [await issuer.token({ ...job, aud: [ORIGIN, "https://other.test"] }), "several audiences"],
      [await issuer.token({ ...job, job_project_id: "99" }), "job_project_id 99"],
      [await issuer.token({ ...job, pipeline_source: "merge_request_event" }), "merge_request_event"],
    ];
    for (const [identity, detail] of refused)
      expect(await problemOf(await exchange(identity))).toMatchObject({
        code: "invalid_identity_token",
        detail: expect.stringContaining(detail),
      });
    // Not what is forged, expired or early.
    const recorded = 4;
    await expect.poll(rowsWritten).toBe(before + recorded);
  });

  it("tells a stranger the same with a rule and without", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    const now = Math.floor(Date.now() / 1000);
    const forged = async (project_id: string) => {
      const claims = { ...job, project_id, iss: issuer.url, aud: ORIGIN, exp: now + 60 };
      const { request_id: _id, ...problem } = await problemOf(
        await exchange(await signed(await newKey(), claims)),
      );
      return JSON.stringify(problem).replaceAll(`project_id: ${project_id}`, "");
    };
    await exchanged(await issuer.token(job));
    const key = issuer.key;
    const known = { ...job, iss: issuer.url, aud: ORIGIN, exp: now + 60 };
    const badlySigned = await signed(await newKey("RS256", key.kid), known);
    const { request_id: _id, ...problem } = await problemOf(await exchange(badlySigned));
    expect(JSON.stringify(problem).replaceAll("project_id: 7", "")).toBe(await forged("8"));
  });

  it("of a job that has the subject in another provider's claim is the exchange of a stranger", async () => {
    const account = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(account.token, ruleOf(issuer));
    const identity = await issuer.token({ ...job, project_id: "8", pipeline_id: "7", sub: "7" });
    expect((await problemOf(await exchange(identity))).detail).toContain("No trust rule matches");
    expect(await issuer.asked()).toEqual([]);
    expect((await recordedEntries(account.id)).map(({ action }) => action)).toEqual(["createTrustRule"]);
  });

  it("waits for nobody: it is refused as temporary while the issuer does not answer", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    await issuer.answers({ "/jwks": { status: 503, body: "" } });
    const identity = await issuer.token(job);
    const refused = await exchange(identity);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(await problemOf(refused)).toMatchObject({ status: 503, code: "unavailable" });
  });

  it("continues when the issuer changes its key", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(token, ruleOf(issuer));
    await exchanged(await issuer.token(job));
    await issuer.publish(await newKey());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect((await exchange(await issuer.token(job))).status).toBe(200);
  });

  it("uses the oldest rule that trusts the job, or the rule that is named", async () => {
    const { token } = await createAccount();
    const issuer = await TestIssuer.start();
    await createRule(
      token,
      ruleOf(issuer, { claims: { ref_path: ["refs/heads/dev"] }, scopes: ["servers:read"] }),
    );
    await createRule(token, ruleOf(issuer, { scopes: ["projects:read"] }));
    const newest = await createRule(token, ruleOf(issuer, { scopes: ["events:read"] }));
    const scopeOf = async (response: Response) => (await response.json<{ scope: string }>()).scope;
    expect(await scopeOf(await exchange(await issuer.token(job)))).toBe("projects:read");
    const named = await exchange(await issuer.token(job), { trust_rule_id: newest.id });
    expect(await scopeOf(named)).toBe("events:read");
  });

  it("asks which account is meant if several have rules for the repository", async () => {
    const [one, other] = [await createAccount("one"), await createAccount("other")];
    const issuer = await TestIssuer.start();
    await createRule(one.token, ruleOf(issuer, { claims: { ref_path: ["refs/heads/dev"] } }));
    const rule = await createRule(other.token, ruleOf(issuer, { scopes: ["projects:read"] }));
    const identity = await issuer.token(job);
    expect(await problemOf(await exchange(identity))).toMatchObject({
      status: 422,
      errors: [{ pointer: "/trust_rule_id" }],
    });
    const secret = await (
      await exchange(identity, { trust_rule_id: rule.id })
    ).json<{ access_token: string }>();
    const account = await (await call("/v1/account", { token: secret.access_token })).json();
    expect(account).toMatchObject({ id: other.id });
  });
});
