import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { createAccount, createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";

const retentionOf = async (token: string) =>
  Account.parse(await (await call("/v1/account", { token })).json()).log_retention_days;
const change = (token: string, body: unknown) => call("/v1/account", { method: "PATCH", token, body });

describe("an account", () => {
  it("keeps logs for 90 days by default", async () => {
    const { token } = await createAccount();
    expect(await retentionOf(token)).toBe(90);
    const changed = await change(token, { log_retention_days: 7 });
    expect(changed.status).toBe(200);
    expect(Account.parse(await changed.json()).log_retention_days).toBe(7);
    expect(await retentionOf(token)).toBe(7);
  });

  it("has its own setting, which all its tokens see", async () => {
    const [mine, theirs] = [await createAccount(), await createAccount()];
    const other = await createToken(mine.id, { scopes: ["deployments:read"] });
    expect(await retentionOf(other.secret)).toBe(90);
    await change(mine.token, { log_retention_days: 1 });
    expect(await retentionOf(other.secret)).toBe(1);
    expect(await retentionOf(theirs.token)).toBe(90);
  });

  it("does not change for an empty update", async () => {
    const { token } = await createAccount();
    await change(token, { log_retention_days: 3650 });
    expect((await change(token, {})).status).toBe(200);
    expect(await retentionOf(token)).toBe(3650);
  });

  it.each([0, -1, 3651, 1.5, "30", null])("refuses to keep logs for %s days", async (days) => {
    const { token } = await createAccount();
    const refused = await problemOf(await change(token, { log_retention_days: days }));
    expect(refused).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/log_retention_days" }] });
    expect(await retentionOf(token)).toBe(90);
  });

  it("keeps deployments forever by default, and can keep them for some days", async () => {
    const { token } = await createAccount();
    const read = async () => Account.parse(await (await call("/v1/account", { token })).json());
    expect((await read()).deployment_retention_days).toBeNull();
    const changed = await change(token, { deployment_retention_days: 365 });
    expect(Account.parse(await changed.json())).toMatchObject({
      deployment_retention_days: 365,
      log_retention_days: 90,
    });
    expect((await read()).deployment_retention_days).toBe(365);
    await change(token, { log_retention_days: 30 });
    expect(await read()).toMatchObject({ deployment_retention_days: 365, log_retention_days: 30 });
    await change(token, { deployment_retention_days: null });
    expect((await read()).deployment_retention_days).toBeNull();
    const listed = await (await call("/v1/events?type=account.updated", { token })).json();
    expect(listed).toMatchObject({
      events: [
        { data: { changed: ["deployment_retention_days"] } },
        { data: { changed: ["log_retention_days"] } },
        { data: { changed: ["deployment_retention_days"] } },
      ],
    });
  });

  it.each([0, 3651, 1.5, "30"])("refuses to keep deployments for %s days", async (days) => {
    const { token } = await createAccount();
    const refused = await problemOf(await change(token, { deployment_retention_days: days }));
    expect(refused).toMatchObject({ errors: [{ pointer: "/deployment_retention_days" }] });
  });

  it("says how full the database is, from 70 % on", async () => {
    const { token } = await createAccount();
    const read = async () => Account.parse(await (await call("/v1/account", { token })).json());
    expect((await read()).database_used_percent).toBeNull();
    let bytes = 0;
    aroundCalls(Object.getPrototypeOf(env.DB.prepare("SELECT 1")), "all", async (ask) => {
      const result = z.looseObject({ meta: z.looseObject({ size_after: z.number() }) }).parse(await ask());
      expect(result.meta.size_after).toBeGreaterThan(10_000);
      return { ...result, meta: { ...result.meta, size_after: bytes } };
    });
    // WORKERS_PLAN is "free": 500 MB.
    bytes = 349_000_000;
    expect((await read()).database_used_percent).toBeNull();
    bytes = 412_000_000;
    expect((await read()).database_used_percent).toBe(82);
  });

  it("can be changed only by a token with the scope and without a limit to projects", async () => {
    const { id, token } = await createAccount();
    const { secret: ci } = await createToken(id, { scopes: ["deployments:write", "projects:write"] });
    const { secret: limited } = await createToken(id, { projectIds: [ids.project()] });
    for (const weak of [ci, limited])
      expect(await problemOf(await change(weak, { log_retention_days: 1 }))).toMatchObject({
        code: "insufficient_scope",
      });
    expect(await retentionOf(token)).toBe(90);
  });
});
