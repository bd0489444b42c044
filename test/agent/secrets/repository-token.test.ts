import { expect, it } from "vitest";

import { withToken } from "#agent/secrets/repository-token.ts";

it.each([
  ["https://github.com/you/shop.git", "https://x-access-token:t%2F1@github.com/you/shop.git"],
  ["https://gitlab.com/you/shop", "https://oauth2:t%2F1@gitlab.com/you/shop"],
  ["https://bitbucket.org/you/shop", "https://x-token-auth:t%2F1@bitbucket.org/you/shop"],
  ["https://git.example.com:8443/shop", "https://git:t%2F1@git.example.com:8443/shop"],
  ["https://bot@git.example.com/shop", "https://bot:t%2F1@git.example.com/shop"],
  ["https://bot:old@git.example.com/shop", "https://bot:t%2F1@git.example.com/shop"],
  ["ssh://git@github.com/you/shop.git", "ssh://git@github.com/you/shop.git"],
  ["git@github.com:you/shop.git", "git@github.com:you/shop.git"],
  ["/srv/git/shop.git", "/srv/git/shop.git"],
])("a repository token becomes the password of %s", (repository, address) => {
  expect(withToken(repository, "t/1")).toBe(address);
  expect(withToken(repository, null)).toBe(repository);
});
