import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { TrustProvider, trustProviders } from "#contract/endpoints/trust-rules/providers.ts";
import type { TrustedTokens } from "#contract/endpoints/trust-rules/check-trust.ts";
import { mismatchOf, mismatchText } from "#domain/trust/trust-rule.ts";

const GITHUB = "https://token.actions.githubusercontent.com";

const shop: TrustedTokens = {
  provider: "github",
  issuer: GITHUB,
  subject: "1296269",
  claims: { event_name: ["push"], ref: ["refs/heads/main", "refs/tags/v*"] },
};
const push = { repository_id: "1296269", event_name: "push", ref: "refs/heads/main" };

describe("a job", () => {
  it("is trusted if each claim has one of the values", () => {
    expect(mismatchOf(shop, push)).toBeNull();
    expect(mismatchOf(shop, { ...push, ref: "refs/tags/v1.2.0" })).toBeNull();
    expect(mismatchOf(shop, { ...push, repository_id: 1296269 })).toBeNull();
  });

  it.each([
    [{ ...push, repository_id: "1296270" }, "repository_id"],
    [{ ...push, repository_id: undefined }, "repository_id"],
    [{ ...push, event_name: "pull_request_target" }, "event_name"],
    [{ ...push, ref: "refs/heads/main2" }, "ref"],
    [{ ...push, ref: "refs/heads/mai" }, "ref"],
    [{ ...push, ref: "refs/heads/v1" }, "ref"],
    [{ ...push, ref: null }, "ref"],
    [{ ...push, ref: { "refs/heads/main": true } }, "ref"],
    [{ ...push, ref: [] }, "ref"],
  ])("is not trusted with %j, and the claim is named", (claims, claim) => {
    expect(mismatchOf(shop, claims)).toMatchObject({ claim });
  });

  it("of a repository with the same name and another id is not trusted", () => {
    const renamed = { ...push, repository: "acme/shop", repository_id: "42" };
    const mismatch = mismatchOf(shop, renamed);
    expect(mismatch === null ? "" : mismatchText(mismatch)).toBe(
      "The token has the repository_id 42. The rule requires 1296269.",
    );
  });

  it("may write its environment in upper case, and nothing else", () => {
    const rule = {
      ...shop,
      claims: { environment: ["production"], job_workflow_ref: ["a/b/.github/x.yml@main"] },
    };
    const claims = { ...push, environment: "Production", job_workflow_ref: "a/b/.github/x.yml@main" };
    expect(mismatchOf(rule, claims)).toBeNull();
    expect(mismatchOf(rule, { ...claims, job_workflow_ref: "A/b/.github/x.yml@main" })).not.toBeNull();
  });

  it("of a tag is not trusted by a rule for a branch at Buildkite, where the tag's name is its branch too", () => {
    const rule = {
      ...shop,
      provider: "buildkite",
      subject: "p",
      claims: { build_branch: ["main"] },
    } as const;
    const claims = { pipeline_id: "p", build_branch: "main" };
    expect(mismatchOf(rule, claims)).toBeNull();
    expect(mismatchOf(rule, { ...claims, build_tag: "" })).toBeNull();
    const mismatch = mismatchOf(rule, { ...claims, build_tag: "main" });
    expect(mismatch === null ? "" : mismatchText(mismatch)).toBe(
      "The token has the build_tag main. The rule requires none.",
    );
    const forTags = { ...rule, claims: { build_tag: ["v*"] } };
    expect(mismatchOf(forTags, { ...claims, build_tag: "v1" })).toBeNull();
  });

  it("writes its environment exactly at GitLab, where names that differ in their case are others", () => {
    const rule = {
      ...shop,
      provider: "gitlab",
      subject: "7",
      claims: { environment: ["production"] },
    } as const;
    expect(mismatchOf(rule, { project_id: "7", environment: "production" })).toBeNull();
    expect(mismatchOf(rule, { project_id: "7", environment: "PRODUCTION" })).not.toBeNull();
  });

  it("with an id that JSON readers round has none", () => {
    const rule = { ...shop, provider: "other", subject: "9007199254740992", claims: {} } as const;
    expect(mismatchOf(rule, JSON.parse('{"sub":9007199254740993}'))).not.toBeNull();
    expect(mismatchOf(rule, { sub: "9007199254740992" })).toBeNull();
  });

  it("of a fork that runs in its parent's project is not trusted at GitLab", () => {
    const rule = {
      ...shop,
      provider: "gitlab",
      subject: "7",
      claims: { ref_path: ["refs/heads/main"] },
    } as const;
    const claims = { project_id: "7", ref_path: "refs/heads/main" };
    expect(mismatchOf(rule, claims)).toBeNull();
    expect(mismatchOf(rule, { ...claims, job_project_id: "7" })).toBeNull();
    expect(mismatchOf(rule, { ...claims, job_project_id: "8" })).toMatchObject({ claim: "job_project_id" });
  });

  it("is trusted by any of the values of a list", () => {
    const rule = { ...shop, claims: { "oidc.circleci.com/context-ids": ["b"] } };
    expect(mismatchOf(rule, { ...push, "oidc.circleci.com/context-ids": ["a", "b"] })).toBeNull();
    expect(mismatchOf(rule, { ...push, "oidc.circleci.com/context-ids": ["a"] })).not.toBeNull();
  });

  it("never gets more than the rule says, whatever its other claims are", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    const anyClaims = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("repository_id", "ref", "event_name", "__proto__")),
      value,
    );
    fc.assert(
      fc.property(anyClaims, (claims) => {
        const isTrusted = mismatchOf(shop, claims) === null;
        const own = (name: string) => (Object.hasOwn(claims, name) ? claims[name] : undefined);
        const has = (name: string, wanted: (text: string) => boolean) =>
          [own(name)].flat().some((one) => wanted(String(one)));
        const mayBeTrusted =
          has("repository_id", (text) => text === "1296269") &&
          has("event_name", (text) => text === "push") &&
          has("ref", (text) => text === "refs/heads/main" || text.startsWith("refs/tags/v"));
        return !isTrusted || mayBeTrusted;
      }),
    );
  });

  it("is recorded with claims that its provider has", () => {
    for (const provider of TrustProvider.options) {
      const { auditedClaims, subjectClaim } = trustProviders[provider];
      expect(auditedClaims).not.toContain(subjectClaim);
      expect(new Set(auditedClaims).size).toBe(auditedClaims.length);
    }
  });
});
