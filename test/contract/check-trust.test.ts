import { describe, expect, it } from "vitest";

import { checkTrust, type TrustedTokens } from "#contract/endpoints/trust-rules/check-trust.ts";

const GITHUB = "https://token.actions.githubusercontent.com";
const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/** What is wrong with a new rule: the pointer and the message. */
function refusal(rule: Partial<TrustedTokens> & Pick<TrustedTokens, "provider">): [string, string] | null {
  const { issuer, ...rest } = { subject: "1296269", claims: {}, ...rule };
  const checked = checkTrust({ ...rest, issuer });
  return checked.ok ? null : [checked.problem.pointer, checked.problem.message];
}

describe("a new trust rule", () => {
  it("gets the issuer and the claims that its provider needs", () => {
    const checked = checkTrust({
      provider: "github",
      subject: "1296269",
      claims: { ref: ["refs/heads/main"] },
    });
    expect(checked).toMatchObject({
      value: {
        issuer: GITHUB,
        claims: {
          event_name: ["push", "workflow_dispatch", "schedule", "release"],
          ref: ["refs/heads/main"],
        },
      },
    });
  });

  it("must limit the jobs to a branch, a tag or an environment", () => {
    expect(refusal({ provider: "github" })).toEqual(["/claims", "must have ref or environment"]);
    expect(refusal({ provider: "github", claims: { environment: ["production"] } })).toBeNull();
    expect(refusal({ provider: "gitlab" })).toEqual(["/claims", "must have ref_path or environment"]);
    const circle = {
      provider: "circleci",
      subject: UUID,
      issuer: `https://oidc.circleci.com/org/${UUID}`,
    } as const;
    expect(refusal(circle)).toEqual(["/claims", "must have oidc.circleci.com/vcs-origin"]);
    expect(refusal({ provider: "buildkite", subject: UUID })).toEqual([
      "/claims",
      "must have build_branch or build_tag",
    ]);
    const bitbucket = "https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc";
    expect(refusal({ provider: "bitbucket", subject: `{${UUID}}`, issuer: bitbucket })).toEqual([
      "/claims",
      "must have branchName or deploymentEnvironmentUuid",
    ]);
  });

  it.each(["pull_request", "pull_request_target", "issue_comment", "workflow_run", "*"])(
    "never trusts jobs of GitHub for %s",
    (event) => {
      const claims = { event_name: ["push", event], ref: ["refs/heads/main"] };
      expect(refusal({ provider: "github", claims })?.[0]).toBe("/claims/event_name");
    },
  );

  it.each(["merge_request_event", "external_pull_request_event", "parent_pipeline"])(
    "never trusts jobs of GitLab for %s",
    (source) => {
      const claims = { pipeline_source: [source], ref_path: ["refs/heads/main"] };
      expect(refusal({ provider: "gitlab", claims })?.[0]).toBe("/claims/pipeline_source");
    },
  );

  it("names an id and not a name that somebody else can take over", () => {
    const claims = { ref: ["refs/heads/main"] };
    expect(refusal({ provider: "github", subject: "acme/shop", claims })?.[0]).toBe("/subject");
    expect(refusal({ provider: "buildkite", subject: "shop", claims })?.[0]).toBe("/subject");
    expect(refusal({ provider: "bitbucket", subject: UUID, issuer: "https://x.test", claims })?.[0]).toBe(
      "/issuer",
    );
  });

  it("names an issuer of its provider", () => {
    const claims = { ref: ["refs/heads/main"] };
    expect(refusal({ provider: "github", issuer: "https://evil.test", claims })?.[0]).toBe("/issuer");
    expect(
      refusal({ provider: "github", issuer: "https://git.acme.test/_services/token", claims }),
    ).toBeNull();
    expect(refusal({ provider: "circleci", subject: UUID, claims })?.[0]).toBe("/issuer");
    expect(refusal({ provider: "other", claims })?.[0]).toBe("/issuer");
    for (const issuer of [GITHUB, `${GITHUB}/`, "https://agent.buildkite.com", "https://gitlab.com"])
      expect(refusal({ provider: "other", issuer, subject: "x" })?.[0]).toBe("/provider");
    expect(refusal({ provider: "other", issuer: "https://sso.test/app/", subject: "deployer" })).toBeNull();
  });

  it("is exact, except for the rest of a branch or tag", () => {
    const check = (claims: TrustedTokens["claims"]) => refusal({ provider: "github", claims });
    expect(check({ ref: ["refs/heads/release/*"] })).toBeNull();
    for (const ref of ["*", "r*", "refs/*", "refs/heads/*", "refs/tags/*"])
      expect(check({ ref: [ref] })?.[1]).toContain("cannot have * for every name");
    expect(check({ ref: ["refs/heads/r*", "refs/tags/v*"] })).toBeNull();
    expect(check({ environment: ["prod*"] })?.[1]).toContain("must be exact");
    expect(check({ ref: ["refs/heads/main"], repository_id: ["1"] })?.[1]).toContain("is the subject");
    expect(check({ ref: ["refs/heads/main"], aud: ["x"] })?.[1]).toContain("every token");
  });
});
