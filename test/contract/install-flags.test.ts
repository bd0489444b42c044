import { describe, expect, it } from "vitest";

import { patternProblem, usualPolicy, withInstallOptions } from "#contract/install-flags.ts";

describe("the policy that an install command offers first", () => {
  it.each([
    ["a server that is being added", null, "strict"],
    ["a server whose agent was never connected", { last_seen_at: null, policy: null }, "strict"],
    ["a strict server", { last_seen_at: "2026-11-28T00:00:00.000Z", policy: "strict" }, "strict"],
    ["an open server", { last_seen_at: "2026-11-28T00:00:00.000Z", policy: "open" }, "open"],
    ["a server with an older agent", { last_seen_at: "2026-11-28T00:00:00.000Z", policy: null }, "open"],
  ] as const)("of %s is its own, or strict", (_what, server, policy) =>
    expect(usualPolicy(server)).toBe(policy),
  );
});

describe("a repository in an install command", () => {
  it.each([
    "https://github.com/you/*",
    "git@github.com:you/**",
    "ssh://git@git.example.com:2222/a/*",
    "/srv/**",
  ])("%s stands between quotes", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
    const choice = { flags: [], policy: "strict", repositories: [pattern] } as const;
    expect(withInstallOptions("curl … | sh", choice)).toBe(
      `curl … | sh -s -- --policy strict --repositories '${pattern}'`,
    );
  });

  it.each([
    "github.com/you",
    "https://x/'; reboot #",
    "https://x/a,b",
    "https://x/$(id)",
    "https://x/ y",
    "*",
  ])("%s is refused", (pattern) => expect(patternProblem(pattern)).toContain("must be an address such as"));
});
