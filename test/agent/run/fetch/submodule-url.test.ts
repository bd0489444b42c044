import { describe, expect, it } from "vitest";

import { resolveSubmoduleUrl } from "#agent/run/fetch/submodule-url.ts";

describe("a submodule's address", () => {
  it.each([
    ["https://example.com/a/b.git", "../c.git", "https://example.com/a/c.git"],
    ["https://me:pw@example.com/a/b.git", "../../x/c", "https://me:pw@example.com/x/c"],
    ["https://example.com/a/b/", "./c", "https://example.com/a/b/c"],
    ["https://me:pw@example.com/a", "https://example.com/b", "https://me:pw@example.com/b"],
    ["https://me:pw@Example.com/a", "https://example.com/b", "https://me:pw@example.com/b"],
    ["https://me:pw@example.com/a", "https://you@example.com/b", "https://you@example.com/b"],
    ["https://me:pw@example.com/a", "https://example.com:8443/b", "https://example.com:8443/b"],
    ["https://me:pw@example.com/a", "https://example.com.evil/b", "https://example.com.evil/b"],
    ["ssh://git@example.com:22/a/b", "../c", "ssh://git@example.com:22/a/c"],
    ["git@example.com:a/b.git", "../c.git", "git@example.com:a/c.git"],
    ["git@example.com:b.git", "../c.git", "git@example.com:c.git"],
    ["/srv/git/a", "../b", "/srv/git/b"],
    ["file:///srv/git/a", "../b", "file:///srv/git/b"],
    ["/srv/git/a", "https://example.com/c", "https://example.com/c"],
    ["/srv/git/a", "/srv/other", "/srv/other"],
  ])("of %s written as %s is %s", (parent, written, url) => {
    expect(resolveSubmoduleUrl(parent, written)).toEqual({ kind: "url", url });
  });

  it.each([
    ["https://example.com/a/b", "/etc/secrets", /is a path on this server/],
    ["https://example.com/a/b", "file:///etc/secrets", /is a path on this server/],
    ["git@example.com:a/b", "/etc/secrets", /is a path on this server/],
    ["https://example.com/a", "../../../other.host/x", /is not supported/],
    ["/srv/git/a", "ext::sh -c touch% x", /is not supported/],
    ["/srv/git/a", "-oProxyCommand=x", /is not supported/],
    ["/srv/git/a", "../b/../../c", /is not supported/],
    [
      "https://example.com/a",
      "https://bob:aa/bb@git.test/b",
      /^its address https:\/\/\*\*\*@git\.test\/b is not/,
    ],
    ["https://example.com/a", "bob:aa/bb@git.test:b", /^its address \*\*\*@git\.test:b is not/],
    [
      "https://example.com/a",
      "http://git.test/b?token=aabb",
      /^its address http:\/\/git\.test\/b\?token=\*\*\* is/,
    ],
  ])("of %s written as %s is refused", (parent, written, reason) => {
    const resolved = resolveSubmoduleUrl(parent, written);
    expect(resolved.kind === "refused" && resolved.reason).toMatch(reason);
  });
});
