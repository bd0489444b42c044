import { describe, expect, it } from "vitest";

import { adviceOnConfiguration, adviceOnPerson } from "#domain/sign-in/connection-advice.ts";
import type { SignInRules } from "#domain/sign-in/decide-sign-in.ts";
import type { ProviderPerson } from "#domain/sign-in/provider-person.ts";

const rules: SignInRules = {
  name: "Okta",
  groupsClaim: "groups",
  groupGrants: [{ group: "dev", grants: [{ role: "viewer", projectIds: null, extra: [] }] }],
  syncGrants: true,
  joinPolicy: "group",
  domains: ["example.com"],
  joinGrants: [],
  isForced: false,
  isOtherForced: false,
};
const person: ProviderPerson = {
  subject: "1",
  name: null,
  label: null,
  email: "ada@example.com",
  groups: ["dev"],
};
const okta = { kind: "oidc", host: "acme.okta.com" } as const;

describe("the advice of a test", () => {
  it("is none if everything is as it must be", () => {
    expect(adviceOnPerson(rules, person, okta, true)).toEqual({ problems: [], notes: [] });
    expect(adviceOnConfiguration(["S256"])).toEqual([]);
    expect(adviceOnConfiguration(undefined)).toHaveLength(1);
  });

  it.each([
    ["acme.okta.com", "Request the scope groups"],
    ["login.microsoftonline.com", "Groups assigned to the application"],
    ["accounts.google.com", "Google sends none"],
    ["id.example.com", "Group Membership"],
  ])("on missing groups of %s says where to add them", (host, words) => {
    const { problems } = adviceOnPerson(rules, { ...person, groups: null }, { kind: "oidc", host }, true);
    expect(problems).toEqual([expect.stringContaining(words)]);
  });

  it("on missing groups of GitHub names the scope", () => {
    const gitHub = { kind: "github", host: "github.com" } as const;
    const { problems } = adviceOnPerson(rules, { ...person, groups: null }, gitHub, true);
    expect(problems).toEqual([expect.stringContaining("read:org")]);
  });

  it("on groups of others lists them", () => {
    const { notes } = adviceOnPerson(rules, { ...person, groups: ["sales", "it"] }, okta, true);
    expect(notes).toEqual(["None of your groups at the provider has grants here. Yours are: sales, it."]);
  });

  it.each([
    ["acme.okta.com", true, "email_verified"],
    ["acme.okta.com", false, "scope email"],
    ["login.microsoftonline.com", true, "Entra does not verify"],
    ["accounts.google.com", true, "Google Workspace"],
  ])("on an address of %s that is not used says why", (host, hasEmail, words) => {
    const { notes } = adviceOnPerson(rules, { ...person, email: null }, { kind: "oidc", host }, hasEmail);
    expect(notes).toEqual([expect.stringContaining(words)]);
  });
});
