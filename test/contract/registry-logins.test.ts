import { expect, it } from "vitest";

import { readRegistryLogins } from "#contract/endpoints/variables/registry-logins.ts";

const errorOf = (value: string) => {
  const read = readRegistryLogins(value);
  return read.ok ? null : read.message;
};

it("the logins of registries are lines of a user, a token and a host", () => {
  const value = [
    "ada@example.com:p@ss:w%40rd=@ghcr.io",
    "",
    "robot$ci:a token@harbor.example.com:5000/acme",
    "AWS:eyJ0b2tlbiI6MX0=@docker.io/acme\n",
  ].join("\n");
  expect(readRegistryLogins(value)).toEqual({
    ok: true,
    value: [
      { user: "ada@example.com", token: "p@ss:w%40rd=", place: "ghcr.io" },
      { user: "robot$ci", token: "a token", place: "harbor.example.com:5000/acme" },
      { user: "AWS", token: "eyJ0b2tlbiI6MX0=", place: "docker.io/acme" },
    ],
  });
});

it.each([
  ["", "must have a line USER:TOKEN@HOST for each registry, such as ada:TOKEN@ghcr.io"],
  ["s3cret", "line 1 has no @"],
  ["s3cret@ghcr.io", "line 1 has no colon between the user and the token"],
  [":s3cret@ghcr.io", "line 1 has no user"],
  ["ada:@ghcr.io", "line 1 has no token"],
  ["ada:s3cret@ghcr.io\r\n", "line 1 has a space around a part, or a control character"],
  ["ada: s3cret@ghcr.io", "line 1 has a space around a part, or a control character"],
  ["ada:s3cret@ghcr.io\n ", "line 2 has no @"],
  ["ada:s3cret@ghcr.io\nbob:s3cret@ghcr.io", "line 2 is for the same place as an earlier line"],
  ["ada:s3cret@https://ghcr.io", "line 1 has an address after the @: write the host without https://"],
  ["ada:s3cret@index.docker.io", "line 1 has another name of Docker Hub after the @: write docker.io"],
  ["ada:s3cret@GHCR.io", "line 1 has no host of a registry in lower case after the @"],
  ["ada:s3cret@acme", "line 1 has no host of a registry"],
  ["ada:s3cret@ghcr.io/acme/base:1", "line 1 has no host of a registry"],
  ['{"auths":{"ghcr.io":{"auth":"s3cret"}}}', "line 1 has no @"],
])("%j is refused without a part of it in the message", (value, message) => {
  const error = errorOf(value);
  expect(error).toContain(message);
  expect(error).not.toContain("s3cret");
});
