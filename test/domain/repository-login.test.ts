import { describe, expect, it } from "vitest";

import { splitLogin, userNameOf } from "#domain/repository-login.ts";

describe("the login in a repository's address", () => {
  it.each([
    "https://git.test/shop.git",
    "https://me@git.test/shop.git",
    "https://me:@git.test/shop.git",
    "ssh://a-user-name-of-a-service@git.test/shop.git",
    "git@git.test:shop.git",
    "/srv/git/a:b@c",
    "file:///srv/git/a:b@c",
    "https://git.test:8443/a@b",
  ])("is none in %s", (address) => {
    expect(splitLogin(address)).toBeNull();
  });

  it.each([
    ["https://me:s3cret@git.test:8443/a@b:c", "https://me@git.test:8443/a@b:c", "s3cret"],
    ["ssh://git:s3cret@git.test/a", "ssh://git@git.test/a", null],
    ["https://me:p%40ss%25@git.test/a", "https://me@git.test/a", "p@ss%"],
    ["https://me:100%@git.test/a", "https://me@git.test/a", "100%"],
    ["https://me:line%0Abreak@git.test/a", "https://me@git.test/a", "line%0Abreak"],
  ])("of %s is a password", (repository, address, token) => {
    expect(splitLogin(repository)).toEqual({ address, token, isUserName: false });
  });

  it.each([
    "https://ghp_0123456789abcdef@git.test/a",
    "https://ghp_0123456789abcdef:x-oauth-basic@git.test/a",
  ])("of %s is an access token in place of the user name", (repository) => {
    const token = "ghp_0123456789abcdef";
    expect(splitLogin(repository)).toEqual({ address: "https://git.test/a", token, isUserName: true });
    expect(userNameOf(repository)).toBe(token);
  });
});
