import { describe, expect, it } from "vitest";

import {
  claimLines,
  limitsOf,
  newTrust,
  readClaimLines,
  readNewTrust,
  readTrustChange,
} from "#dashboard/pages/trust-rules/trust-draft.ts";

const shop = { ...newTrust, name: "shop", subject: "1296269" };

describe("the form for a trust rule", () => {
  it("pins the names of its limit, and further claims", () => {
    const form = readNewTrust({ ...shop, limitNames: "main, release/*", claims: "event_name=push" });
    expect(form).toMatchObject({
      ok: true,
      value: { claims: { ref: ["refs/heads/main", "refs/heads/release/*"], event_name: ["push"] } },
    });
    const environment = readNewTrust({ ...shop, limit: "environment", limitNames: "production" });
    expect(environment).toMatchObject({ ok: true, value: { claims: { environment: ["production"] } } });
  });

  it("shows what the control plane would refuse, at the field", () => {
    const errors = (more: object) => readNewTrust({ ...shop, ...more }).errors;
    expect(errors({ subject: "acme/shop" })).toMatchObject({
      subject: expect.stringContaining("repository_id"),
    });
    expect(errors({ limitNames: "" })).toMatchObject({ claims: "The rule must have ref or environment." });
    expect(errors({ claims: "event_name=pull_request" })).toMatchObject({
      claims: expect.stringContaining("event_name must be one of"),
    });
    expect(errors({ claims: "production" })).toMatchObject({ claims: expect.stringContaining("NAME=VALUE") });
    expect(errors({ provider: "circleci" })).toMatchObject({
      issuer: expect.stringContaining("Must be given"),
    });
    expect(errors({ minutes: "121" })).toMatchObject({ lifetime_minutes: "Must be 120 or less." });
    expect(errors({ scopes: [] })).toHaveProperty("scopes");
    expect(errors({})).toEqual({});
  });

  it("changes the claims as a whole", () => {
    const claims = { event_name: ["push"], ref: ["refs/heads/main", "refs/tags/v*"] };
    const change = readTrustChange({ ...shop, claims: claimLines(claims) });
    expect(change).toMatchObject({ ok: true, value: { claims } });
    expect(readTrustChange({ ...shop, claims: "event_name=push" }).errors).toEqual({
      claims: "The rule must have ref or environment.",
    });
  });

  it("reads a claim whose value has an equals sign, and refuses a line without one", () => {
    expect(readClaimLines(" a = b=c \n\na=d")).toEqual({ a: ["b=c", "d"] });
    expect(readClaimLines("=b")).toBeNull();
    expect(readClaimLines("")).toEqual({});
  });

  it("offers the limits that the tokens of the provider can show", () => {
    expect(limitsOf("github")).toEqual(["branch", "tag", "environment"]);
    expect(limitsOf("buildkite")).toEqual(["branch", "tag"]);
    expect(limitsOf("other")).toEqual([]);
  });
});
