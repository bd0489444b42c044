import { describe, expect, it } from "vitest";

import { decideDigest } from "#agent/policy/digest-reach.ts";
import { openPolicy, Policy } from "#agent/policy/policy.ts";
import { matchesPattern } from "#agent/policy/repository-address.ts";

const digest = "0123456789abcdef".repeat(4);
const byDigest = {
  branch: "v1",
  commit: digest,
  commits: "reachable",
  in_branch: false,
  was_live: false,
} as const;

describe("an image that is ordered by its digest", () => {
  it("is any image of the repository, unless the policy limits the tags", () => {
    expect(decideDigest(openPolicy, byDigest, null)).toMatchObject({ value: "any" });
    expect(decideDigest(Policy.parse({ version: 1 }), byDigest, null)).toMatchObject({ value: "any" });
    const limited = Policy.parse({ version: 1, branches: ["v*"], containers: "any" });
    expect(decideDigest(limited, byDigest, null)).toMatchObject({ value: "tagged" });
    const back = { ...byDigest, was_live: true };
    expect(decideDigest(limited, back, "v1")).toMatchObject({ value: "any" });
    expect(decideDigest(limited, back, "next")).toMatchObject({ value: "tagged" });
    expect(decideDigest(limited, back, null)).toMatchObject({ value: "tagged" });
  });

  it("is refused if the project deploys no commits by their hash, and by a part of its digest", () => {
    expect(decideDigest(openPolicy, { ...byDigest, commits: "none" }, null)).toMatchObject({
      code: "commit_not_reachable",
    });
    expect(decideDigest(openPolicy, { ...byDigest, commit: digest.slice(0, 12) }, null)).toMatchObject({
      code: "ref_not_found",
    });
  });
});

describe("a pattern of repositories of images", () => {
  it.each([
    ["docker://ghcr.io/acme/*", "docker://ghcr.io/acme/shop", true],
    ["docker://ghcr.io/acme/*", "docker://ada:s3cret@GHCR.io/acme/shop", true],
    ["docker://ghcr.io/**", "docker://ghcr.io/acme/shop/web", true],
    ["docker://docker.io/library/*", "docker://docker.io/node", true],
    ["docker://registry.test:5000/*", "docker://registry.test:5000/shop", true],
    ["docker://registry.test/*", "docker://registry.test:443/shop", true],
    ["docker://ghcr.io/acme/*", "docker://ghcr.io/other/shop", false],
    ["docker://ghcr.io/acme/*", "https://ghcr.io/acme/shop", false],
    ["https://ghcr.io/acme/*", "docker://ghcr.io/acme/shop", false],
    ["docker://registry.test/*", "docker://registry.test:5000/shop", false],
  ])("%s and %s: %s", (pattern, repository, isAllowed) => {
    expect(matchesPattern(repository, pattern)).toBe(isAllowed);
  });
});
