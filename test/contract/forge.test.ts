import { describe, expect, it } from "vitest";

import { isOverSsh, isSameRepository, keySettingsOf } from "#contract/forge.ts";

describe("the page to add a deploy key on", () => {
  it.each([
    ["git@github.com:acme/shop.git", "https://github.com/acme/shop/settings/keys/new"],
    ["https://github.com/acme/shop", "https://github.com/acme/shop/settings/keys/new"],
    ["https://bot:token@github.com/acme/shop.git/", "https://github.com/acme/shop/settings/keys/new"],
    ["ssh://git@ssh.github.com:443/acme/shop.git", "https://github.com/acme/shop/settings/keys/new"],
    ["git@gitlab.com:acme/team/web/shop.git", "https://gitlab.com/acme/team/web/shop/-/settings/repository"],
    ["git@bitbucket.org:acme/shop.git", "https://bitbucket.org/acme/shop/admin/access-keys/"],
    ["ssh://git@codeberg.org/acme/shop.js.git", "https://codeberg.org/acme/shop.js/settings/keys"],
  ])("of %s is %s", (repository, settingsUrl) => {
    expect(keySettingsOf(repository).settingsUrl).toBe(settingsUrl);
  });

  it.each([
    ["git@github.com:shop.git", "github"],
    ["git@github.com:acme/../other.git", "other"],
    ['https://github.com/acme/shop?x="><script>', "other"],
    ["git@git.example.com:acme/shop.git", "other"],
    ["https://github.com.evil.example/acme/shop", "other"],
    ["/srv/git/shop", "other"],
    ["file:///srv/git/shop", "other"],
  ])("is not derived from %s", (repository) => {
    const { settingsUrl, steps } = keySettingsOf(repository);
    expect(settingsUrl).toBeNull();
    expect(steps.length).toBeGreaterThan(0);
  });
});

it("only ssh addresses need a deploy key", () => {
  const addresses = [
    "git@github.com:a/b",
    "ssh://git@host/a/b",
    "https://me@host/a/b",
    "/srv/a",
    "file:///srv/a",
  ];
  expect(addresses.map(isOverSsh)).toEqual([true, true, false, false, false]);
});

it("a repository is the same over https and ssh, with a login, in other letters, and with .git", () => {
  const address = "https://github.com/Acme/Shop";
  for (const same of [
    "git@github.com:acme/shop.git",
    "ssh://git@ssh.github.com:443/acme/shop",
    "https://me:password@GitHub.com/acme/shop.git/",
  ])
    expect(isSameRepository(address, same), same).toBe(true);
  for (const other of ["https://gitlab.com/acme/shop", "https://github.com/acme/shop2", "/srv/acme/shop"])
    expect(isSameRepository(address, other), other).toBe(false);
  expect(isSameRepository("/srv/git/shop.git", "/srv/git/shop")).toBe(true);
});
