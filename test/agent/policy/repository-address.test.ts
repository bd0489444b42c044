import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { locate, matchesPattern } from "#agent/policy/repository-address.ts";
import { Repository } from "#contract/git-names.ts";

const PATTERN = "https://github.com/acme/*";

describe("a pattern of repositories", () => {
  it.each([
    [PATTERN, "https://github.com/acme/shop"],
    [PATTERN, "https://github.com/acme/shop.git"],
    [PATTERN, "https://github.com/acme/shop/"],
    [PATTERN, "https://GitHub.com:443/acme/shop"],
    [PATTERN, "https://deploy:secret@github.com/acme/shop"],
    [PATTERN, "https://github.com/acme/sh%6fp"],
    ["https://git.example.com:8443/**", "https://git.example.com:8443/a/b/c.git"],
    ["git@github.com:acme/*", "git@github.com:acme/shop.git"],
    ["ssh://git@github.com/acme/shop", "ssh://git@github.com:22/acme/shop.git"],
    ["/srv/git/*", "/srv/git/shop.git"],
    ["/srv/git/*", "file:///srv/git/shop"],
    ["file:///srv/git/shop", "/srv/git/shop.git"],
  ])("%s is for %s", (pattern, repository) => {
    expect(Repository.safeParse(repository).success).toBe(true);
    expect(matchesPattern(repository, pattern)).toBe(true);
  });

  it.each([
    [PATTERN, "https://github.com/other/shop"],
    [PATTERN, "https://github.com/Acme/shop"],
    [PATTERN, "https://github.com/acme/shop/more"],
    [PATTERN, "https://github.com/acme"],
    [PATTERN, "https://github.com/acme/.git"],
    [PATTERN, "https://github.com/acme/../other/shop"],
    [PATTERN, "https://github.com/acme/.."],
    [PATTERN, "https://github.com/acme/%2e%2e/shop"],
    [PATTERN, "https://github.com/acme%2fshop"],
    [PATTERN, "https://github.com/acme/..%2fother"],
    [PATTERN, "https://github.com/acme/%252e%252e"],
    [PATTERN, "https://github.com/acme//shop"],
    [PATTERN, "https://github.com/acme/shop?x=/y"],
    [PATTERN, "https://github.com/acme/shop#x"],
    [PATTERN, "https://github.com:8443/acme/shop"],
    [PATTERN, "https://github.com./acme/shop"],
    [PATTERN, "https://github.com@evil.example/acme/shop"],
    [PATTERN, "https://github.com:x@evil.example/acme/shop"],
    [PATTERN, "https://github.com\\@evil.example/acme/shop"],
    [PATTERN, "https://evil.example/github.com/acme/shop"],
    [PATTERN, "https://github.com.evil.example/acme/shop"],
    [PATTERN, "https://gıthub.com/acme/shop"],
    [PATTERN, "https://github.com/ acme/shop"],
    [PATTERN, "http://github.com/acme/shop"],
    [PATTERN, "ssh://github.com/acme/shop"],
    [PATTERN, "git@github.com:acme/shop"],
    [PATTERN, "ext::sh -c id https://github.com/acme/shop"],
    [PATTERN, "/acme/shop"],
    ["git@github.com:acme/*", "root@github.com:acme/shop"],
    ["git@github.com:acme/*", "git@github.com:/acme/shop"],
    ["git@github.com:acme/*", "git@github.com:acme/../other"],
    ["git@github.com:acme/*", "git@github.com:~other/shop"],
    ["git@github.com:acme/*", "ssh://git@github.com/acme/shop"],
    ["ssh://git@github.com/acme/*", "ssh://root@github.com/acme/shop"],
    ["ssh://github.com/acme/*", "ssh://git@github.com/acme/shop"],
    ["/srv/git/*", "/srv/git/../../etc"],
    ["/srv/git/*", "/srv/git"],
    ["/srv/git/*", "file://host/srv/git/shop"],
  ])("%s is not for %s", (pattern, repository) => {
    expect(matchesPattern(repository, pattern)).toBe(false);
  });

  it("matches no URL that a web client would request from another host", () => {
    const piece = fc.constantFrom(
      ..."github.com,acme,shop,evil.example,..,.,%2e,%2f,@,:,/,//,\\,?,#,.git,git,443,~,*,**, ,ı,\u2025,%00,;".split(
        ",",
      ),
    );
    const address = fc
      .tuple(
        fc.constantFrom("https://", "ssh://", "git@", "/", "file:///", ""),
        fc.array(piece, { maxLength: 9 }),
      )
      .map(([start, pieces]) => start + pieces.join(""));
    fc.assert(
      fc.property(address, (text) => {
        if (!matchesPattern(text, PATTERN)) return;
        const url = new URL(text);
        expect(url.protocol + url.host).toBe("https:github.com");
        expect(decodeURIComponent(url.pathname)).toMatch(/^\/acme\/[^/]+\/*$/);
        expect(url.search + url.hash).toBe("");
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    "https://user:secret@github.com/*",
    "https://github.com/a*b/c",
    "https://github.com/**/c",
    "acme/*",
    "*",
  ])("%s is none", (pattern) => expect(locate(pattern, "pattern")).toBeNull());
});
