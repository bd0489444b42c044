import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ProjectRepository } from "#contract/addresses/pasted-repository.ts";
import { splitLogin } from "#domain/repository-login.ts";
import { secretAddress } from "../../support/secret-addresses.ts";

/** The stored form of an address, or why it is refused. */
function outcomeOf(text: string): { readonly stored: string | null; readonly message: string } {
  const parsed = ProjectRepository.safeParse(text);
  if (!parsed.success)
    return { stored: null, message: parsed.error.issues.map(({ message }) => message).join("; ") };
  return { stored: splitLogin(parsed.data)?.address ?? parsed.data, message: "" };
}

describe("an address with a secret", () => {
  it("is stored without it or refused without repeating it, in 10,000 forms", () => {
    const counts = { stored: 0, refused: 0 };
    fc.assert(
      fc.property(secretAddress, ({ text, parts }) => {
        const { stored, message } = outcomeOf(text);
        counts[stored === null ? "refused" : "stored"] += 1;
        const shown = (stored ?? message).toLowerCase();
        const found = parts.filter((part) => shown.includes(part.toLowerCase()));
        if (found.length > 0) expect({ text, shown, found }).toEqual({ text, shown, found: [] });
      }),
      { numRuns: 10_000 },
    );
    // Enough of both, so that neither side is empty.
    expect(Math.min(counts.stored, counts.refused)).toBeGreaterThan(300);
  });

  it.each([
    "https://bob:aa/bb@host/repo",
    "https://bob:12/bb@host/repo",
    "https://bob:12/@git.test/repo",
    "https://bob:aa@bb@git.test/repo",
    "https://bob:aa?bb@git.test/repo",
    "https://bob:aa#bb@git.test/repo",
    "https://bob:aa#12/bb@git.test/repo",
    "https://aa/bb@git.test/repo",
    "https://me@example.com:1/password@git.test/repo",
    "https://me%40example.com:1/password@git.test/repo",
    "https://user@domain.test:password@git.test/repo",
    "ssh://bob:12/bb@git.test/repo",
    "bob:aa@git.test/repo",
    "bob:aa@git.test:repo",
    "bob:a/a@git.test:repo",
  ])("%s says how to write the password", (text) => {
    expect(outcomeOf(text)).toEqual({
      stored: null,
      message: expect.stringContaining("Write / as %2F and @ as %40 in the password"),
    });
  });
});

describe("an address that people paste", () => {
  it.each([
    [" https://github.com/acme/shop\n", "https://github.com/acme/shop"],
    ["HTTPS://GitHub.com/acme/shop", "https://github.com/acme/shop"],
    ["https://github.com/acme/shop.git/", "https://github.com/acme/shop.git"],
    ["https://github.com/acme/shop//", "https://github.com/acme/shop"],
    ["https://gitlab.com/acme/web/tools/shop", "https://gitlab.com/acme/web/tools/shop"],
    ["https://tangled.org/@acme.test/shop", "https://tangled.org/@acme.test/shop"],
    ["https://dev.azure.com/acme/shop/_git/shop", "https://dev.azure.com/acme/shop/_git/shop"],
    ["https://git.test/scm/acme/src/shop.git", "https://git.test/scm/acme/src/shop.git"],
    ["git@git.test:~acme/shop", "git@git.test:~acme/shop"],
    ["git@github.com:2222/shop.git", "git@github.com:2222/shop.git"],
    ["git@git.test:2222.git", "git@git.test:2222.git"],
    ["git@git.test:acme/shop.git/", "git@git.test:acme/shop.git"],
    [
      "acme-org@vs-ssh.visualstudio.com:v3/acme/shop/shop",
      "acme-org@vs-ssh.visualstudio.com:v3/acme/shop/shop",
    ],
    [
      "ssh://APKAEIBAERJR2EXAMPLE@git-codecommit.us-east-1.amazonaws.com/v1/repos/shop",
      "ssh://APKAEIBAERJR2EXAMPLE@git-codecommit.us-east-1.amazonaws.com/v1/repos/shop",
    ],
    ["ssh://git@git.test:30000/~/me/shop.git", "ssh://git@git.test:30000/~/me/shop.git"],
    ["/srv/git/what?.git", "/srv/git/what?.git"],
    ["FILE:///srv/git/shop.git", "file:///srv/git/shop.git"],
  ])("%j is stored as %s", (text, stored) => {
    expect(outcomeOf(text)).toEqual({ stored, message: "" });
  });

  it.each([
    ["git@git.test:2222/acme/shop.git", "write ssh://git@git.test:2222/acme/shop.git"],
    ["git@git.test:222:acme/shop.git", "write ssh://git@git.test:222/acme/shop.git"],
    ["git@git.test/acme/shop.git", "write git@git.test:acme/shop.git"],
    ["git@gitlab.example.eu/:acme/shop.git", "write git@gitlab.example.eu:acme/shop.git"],
    ["https://github.com:acme/shop.git", "write https://github.com/acme/shop.git"],
    ["https://git@github.com:acme/shop.git", "write https://github.com/acme/shop.git"],
    ["ssh://git@github.com:acme/shop.git", "write ssh://git@github.com/acme/shop.git"],
    ["github.com/acme/shop", "write https://github.com/acme/shop"],
    ["github.com:acme/shop", "write git@github.com:acme/shop"],
    ["acme/shop", "write https://github.com/acme/shop"],
    ["github:acme/shop", "write https://github.com/acme/shop"],
    ["gitlab:acme/web/shop", "write https://gitlab.com/acme/web/shop"],
    ["git clone https://github.com/acme/shop", "without a command"],
    ["git git@git.test:222/acme/shop", "without a command"],
    ["<https://github.com/acme/shop>", "without quotes or brackets"],
    ["'git@github.com:acme/shop.git'", "without quotes or brackets"],
    ["[shop](https://github.com/acme/shop)", "without quotes or brackets"],
    [
      "https://github.com/acme/shop/tree/main",
      "write https://github.com/acme/shop here, and main as the branch",
    ],
    ["https://github.com/acme/shop/tree/feature/new", "write https://github.com/acme/shop"],
    ["https://github.com/acme/shop/blob/main/README.md", "write https://github.com/acme/shop"],
    ["https://github.com/acme/shop.git/tree/main", "write https://github.com/acme/shop"],
    ["https://github.com/acme/shop/pull/12", "write https://github.com/acme/shop"],
    [
      "https://gitlab.com/acme/web/shop/-/tree/dev",
      "write https://gitlab.com/acme/web/shop here, and dev as the branch",
    ],
    [
      "https://bitbucket.org/acme/shop/src/main/",
      "write https://bitbucket.org/acme/shop here, and main as the branch",
    ],
    [
      "https://git.test/acme/shop/src/branch/main",
      "write https://git.test/acme/shop here, and main as the branch",
    ],
    ["https://git.test/acme/shop/tree/main", "write https://git.test/acme/shop here, and main as the branch"],
    ["https://raw.githubusercontent.com/acme/shop/main/index.html", "write https://github.com/acme/shop"],
    ["https://api.github.com/repos/acme/shop", "write https://github.com/acme/shop"],
    ["https://me@github.com/acme/shop/tree/main", "write the address that the page shows"],
    ["https://github.com/acme", "must name a repository"],
    ["https://github.com/acme/shop.git#main", "name the branch in its own setting"],
    ["git@github.com:acme/shop.git#main", "name the branch in its own setting"],
    ["ssh://git@git.test/shop?x", "must not have a query"],
    ["http://github.com/acme/shop", "write https://github.com/acme/shop"],
    ["git://github.com/acme/shop", "write https://github.com/acme/shop"],
    ["git+ssh://git@github.com/acme/shop", "write ssh://git@github.com/acme/shop"],
    ["git+https://github.com/acme/shop", "write https://github.com/acme/shop"],
    ["https:/github.com/acme/shop", "write https://github.com/acme/shop"],
    ["https//github.com/acme/shop", "write https://github.com/acme/shop"],
    ["https://https://github.com/acme/shop", "write https://github.com/acme/shop"],
    [String.raw`C:\code\shop`, "path on your own computer"],
    ["C:/code/shop", "path on your own computer"],
    ["./shop", "path on your own computer"],
    ["~/shop", "path on your own computer"],
    ["file://host/srv/shop", "three slashes"],
    ["https://github.com/acme/my shop", "spaces"],
    ["ghp_0123456789abcdefghij@github.com:acme/shop", "ssh uses keys"],
    ["https://ghp_0123456789abcdefghij:hunter22@github.com/acme/shop", "access token as the user name"],
  ])("%s is refused with what to write", (text, words) => {
    expect(outcomeOf(text)).toEqual({ stored: null, message: expect.stringContaining(words) });
  });
});
