import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { branchLink, commitLink, repositoryLink } from "#dashboard/shared/forge-links.ts";

const COMMIT = "8e8412f";
const SITES = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com"];

describe("the links of a repository", () => {
  it.each([
    [
      "https://github.com/acme/shop.git",
      "https://github.com/acme/shop",
      "/commit/8e8412f",
      "/tree/fix/a%23b",
    ],
    ["git@github.com:acme/shop.git", "https://github.com/acme/shop", "/commit/8e8412f", "/tree/fix/a%23b"],
    [
      "https://bot:secret@gitlab.com/acme/web/shop.git",
      "https://gitlab.com/acme/web/shop",
      "/-/commit/8e8412f",
      "/-/tree/fix/a%23b",
    ],
    [
      "ssh://git@altssh.gitlab.com:443/acme/shop.git",
      "https://gitlab.com/acme/shop",
      "/-/commit/8e8412f",
      "/-/tree/fix/a%23b",
    ],
    [
      "git@bitbucket.org:acme/shop.git",
      "https://bitbucket.org/acme/shop",
      "/commits/8e8412f",
      "/branch/fix/a%23b",
    ],
    ["https://codeberg.org/acme/shop", "https://codeberg.org/acme/shop", "/commit/8e8412f", "/src/fix/a%23b"],
  ])("at %s lead to its git host", (repository, page, commit, branch) => {
    expect(repositoryLink(repository)).toBe(page);
    expect(commitLink(repository, COMMIT)).toBe(page + commit);
    expect(branchLink(repository, "fix/a#b")).toBe(page + branch);
  });

  it.each([
    "/srv/git/shop",
    "file:///srv/git/shop",
    "https://git.example.com/acme/shop.git",
    "https://github.com.evil.example/acme/shop",
    "https://evil.example/https://github.com/acme/shop",
    "javascript:alert(1)//github.com/acme/shop",
    "git@github.com:shop.git",
  ])("do not exist for %s", (repository) => {
    expect(repositoryLink(repository)).toBeNull();
    expect(commitLink(repository, COMMIT)).toBeNull();
    expect(branchLink(repository, "main")).toBeNull();
  });

  it("do not exist for an invalid commit, and for a branch that a browser reads as another path", () => {
    expect(commitLink("https://github.com/acme/shop", "../../evil")).toBeNull();
    expect(branchLink("https://github.com/acme/shop", "../../evil")).toBeNull();
  });

  it("always lead to a page of a known host, without a login", () => {
    const pieces = fc.constantFrom(
      ...SITES,
      ...[
        "https://",
        "ssh://",
        "git@",
        "javascript:",
        "data:",
        "user:password@",
        "@",
        ":",
        "/",
        "//",
        "..",
        "\\",
        "?",
        "#",
      ],
      ...["acme", "shop.git", "evil.example", "%2f", "\t", "\u202e", "."],
    );
    const text = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 8 }).map((parts) => parts.join(""));
    const address = fc.oneof(
      text,
      fc
        .tuple(fc.constantFrom("https://", "ssh://git@", "git@"), fc.constantFrom(...SITES), text)
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(address, text, (repository, name) => {
        for (const link of [
          repositoryLink(repository),
          commitLink(repository, name),
          branchLink(repository, name),
        ]) {
          if (link === null) continue;
          const { protocol, hostname, username, password, port, pathname, search, hash } = new URL(link);
          expect([protocol, username, password, port, search, hash]).toEqual(["https:", "", "", "", "", ""]);
          expect(SITES).toContain(hostname);
          // A browser reads the path as it is written.
          expect(link).toBe(`https://${hostname}${pathname}`);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
