import { describe, expect, it } from "vitest";

import { isOverSsh, keySettingsOf } from "#contract/forge.ts";

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
