import { describe, expect, it } from "vitest";

import { isEntra, personOfClaims } from "#domain/sign-in/provider-person.ts";

const personOf = (claims: object, issuer = "https://id.example.com", groupsClaim = "groups") =>
  personOfClaims({ sub: "1", ...claims }, { issuer, host: new URL(issuer).hostname, groupsClaim });

const GOOGLE = "https://accounts.google.com";
const ENTRA = "https://login.microsoftonline.com/8f2a/v2.0";

describe("the address of a person", () => {
  it("is in lower case, and only of a provider that has verified it", () => {
    expect(personOf({ email: "Ada@Example.com", email_verified: true })?.email).toBe("ada@example.com");
    for (const verified of [false, "true", 1, undefined])
      expect(personOf({ email: "ada@example.com", email_verified: verified })?.email).toBeNull();
  });

  it("is one address", () => {
    for (const email of ["ada", "a@b@c", "a@b,c@d", "<a@b>", "a b@c", "", 7])
      expect(personOf({ email, email_verified: true })?.email).toBeNull();
  });

  it("at Google is only of the owner of its domain", () => {
    const claims = { email: "ada@example.com", email_verified: true };
    expect(personOf(claims, GOOGLE)?.email).toBeNull();
    expect(personOf({ ...claims, hd: "example.org" }, GOOGLE)?.email).toBeNull();
    expect(personOf({ ...claims, hd: "example.com" }, GOOGLE)?.email).toBe("ada@example.com");
  });

  it("at Microsoft Entra is never used", () => {
    expect(personOf({ email: "ada@example.com", email_verified: true }, ENTRA)?.email).toBeNull();
    for (const host of ["sts.windows.net", "login.microsoftonline.us", "acme.ciamlogin.com"])
      expect(isEntra(host)).toBe(true);
    for (const host of ["evil-microsoftonline.com", "login.microsoftonline.com.evil.example", "example.com"])
      expect(isEntra(host)).toBe(false);
  });
});

describe("the groups of a person", () => {
  const groupsOf = (claims: object, claim = "groups") => personOf(claims, undefined, claim)?.groups;

  it("are a list, or one text", () => {
    expect(groupsOf({ groups: ["dev", 7, null, "ops"] })).toEqual(["dev", "ops"]);
    expect(groupsOf({ groups: "dev" })).toEqual(["dev"]);
    expect(groupsOf({ groups: [] })).toEqual([]);
  });

  it("are none if the claim is missing, as with many groups at Entra", () => {
    for (const claims of [{}, { groups: null }, { groups: { a: 1 } }, { _claim_names: { groups: "src1" } }])
      expect(groupsOf(claims)).toBeNull();
  });

  it("can be inside of a claim, or in a claim with dots in its name", () => {
    expect(groupsOf({ realm_access: { roles: ["dev"] } }, "realm_access.roles")).toEqual(["dev"]);
    expect(groupsOf({ "https://acme.com/groups": ["dev"] }, "https://acme.com/groups")).toEqual(["dev"]);
    expect(groupsOf({}, "constructor.name")).toBeNull();
    expect(groupsOf({ a: { b: 1 } }, "a.b.c")).toBeNull();
  });
});

it("a person needs a subject", () => {
  for (const sub of ["", 7, undefined]) expect(personOf({ sub })).toBeNull();
});
