import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { JoinPolicy } from "#contract/endpoints/connections/schemas.ts";
import { InvitationId, MemberId } from "#contract/ids.ts";
import { decideSignIn, type KnownPerson, type SignInRules } from "#domain/sign-in/decide-sign-in.ts";
import type { ProviderPerson } from "#domain/sign-in/provider-person.ts";

const viewer = { role: "viewer", projectIds: null, extra: [] } as const;
const deployer = { role: "deployer", projectIds: null, extra: [] } as const;
const admin = { role: "admin", projectIds: null, extra: [] } as const;

const rules: SignInRules = {
  name: "Okta",
  groupsClaim: "groups",
  groupGrants: [],
  syncGrants: true,
  joinPolicy: "off",
  domains: [],
  joinGrants: [],
  isForced: false,
  isOtherForced: false,
};
const person: ProviderPerson = {
  subject: "1",
  name: "Grace",
  label: "grace@example.com",
  email: "grace@example.com",
  groups: null,
};
const nobody: KnownPerson = {
  member: null,
  withAddress: null,
  invitation: null,
  invitationOfAddress: null,
};
const grace = {
  id: MemberId.parse("mem_01kaf4tan7n2x6j3t8e1c4rh9y"),
  name: "Grace",
  isOwner: false,
  grants: [viewer],
};
const invitation = {
  id: InvitationId.parse("inv_01kaf4tbs8q3z7m4v9f2d5sj0a"),
  email: "grace@example.com",
  grants: [deployer],
};

describe("a sign-in", () => {
  it("of nobody is refused in the same words, whatever the account knows of their address", () => {
    const known = [
      nobody,
      { ...nobody, withAddress: { ...grace, isOwner: true, hasPasskey: false } },
      { ...nobody, withAddress: { ...grace, hasPasskey: true } },
      { ...nobody, invitationOfAddress: invitation },
    ];
    const decided = known.map((one) => decideSignIn(rules, person, one));
    expect(new Set(decided.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(decided[0]).toMatchObject({ kind: "refuse", code: "sign_in_refused" });
  });

  it("gives the grants of all groups once", () => {
    const mapped = {
      ...rules,
      groupGrants: [
        { group: "dev", grants: [deployer, viewer] },
        { group: "ops", grants: [viewer, admin] },
      ],
    };
    const decided = decideSignIn(mapped, { ...person, groups: ["ops", "dev"] }, { ...nobody, member: grace });
    expect(decided).toMatchObject({ kind: "member", isNew: false, grants: [deployer, viewer, admin] });
  });

  it("takes the grants of somebody who has left all groups, down to those without a group", () => {
    const mapped = { ...rules, groupGrants: [{ group: "dev", grants: [deployer] }], joinGrants: [viewer] };
    const known = { ...nobody, member: { ...grace, grants: [deployer] } };
    expect(decideSignIn(mapped, { ...person, groups: [] }, known)).toMatchObject({ grants: [viewer] });
    expect(decideSignIn(mapped, { ...person, groups: null }, known)).toMatchObject({ grants: [deployer] });
  });

  it("by a domain lets nobody in who could do nothing", () => {
    const domain: SignInRules = { ...rules, joinPolicy: "domain", domains: ["example.com"] };
    expect(decideSignIn(domain, person, nobody)).toMatchObject({ kind: "refuse" });
  });
});

const grants = fc.subarray([viewer, deployer, admin]);
const groups = fc.option(fc.subarray(["dev", "ops", "sales"]));
const anyRules: fc.Arbitrary<SignInRules> = fc.record({
  name: fc.constant("Okta"),
  groupsClaim: fc.constant("groups"),
  groupGrants: fc.array(fc.record({ group: fc.constantFrom("dev", "ops"), grants }), { maxLength: 3 }),
  syncGrants: fc.boolean(),
  joinPolicy: fc.constantFrom(...JoinPolicy.options),
  domains: fc.subarray(["example.com", "example.org"]),
  joinGrants: grants,
  isForced: fc.boolean(),
  isOtherForced: fc.boolean(),
});
const anyPerson: fc.Arbitrary<ProviderPerson> = fc.record({
  subject: fc.constant("1"),
  name: fc.constant("Grace"),
  label: fc.constant(null),
  email: fc.constantFrom(null, "grace@example.com", "grace@other.example"),
  groups,
});
const anyMember = fc.record({ isOwner: fc.boolean(), grants }).map((own) => ({ ...grace, ...own }));
const anyKnown: fc.Arbitrary<KnownPerson> = fc.record({
  member: fc.option(anyMember),
  withAddress: fc.option(
    fc.tuple(anyMember, fc.boolean()).map(([own, hasPasskey]) => ({ ...own, hasPasskey })),
  ),
  invitation: fc.constantFrom(null, invitation, { ...invitation, email: null }),
  invitationOfAddress: fc.constantFrom(null, invitation),
});

describe("no settings, person or member", () => {
  const always = (holds: (given: SignInRules, who: ProviderPerson, known: KnownPerson) => boolean) =>
    fc.assert(fc.property(anyRules, anyPerson, anyKnown, holds), { numRuns: 2_000 });

  it("make a sign-in change what an owner may do, or lock an owner out", () => {
    always((given, who, known) => {
      if (known.member?.isOwner !== true) return true;
      const decided = decideSignIn(given, who, known);
      return decided.kind === "member" && !decided.isNew && decided.grants === known.member.grants;
    });
  });

  it("let a person become an owner, or become another member than their identity says", () => {
    always((given, who, known) => {
      const decided = decideSignIn(given, who, known);
      if (decided.kind !== "member") return true;
      return decided.isNew
        ? known.member === null &&
            decided.member === known.withAddress &&
            !decided.member.isOwner &&
            (given.isForced || !known.withAddress.hasPasskey)
        : decided.member === known.member;
    });
  });

  it("let a person in who is not forced to sign in here but elsewhere, except an owner", () => {
    always((given, who, known) => {
      if (!given.isOtherForced || given.isForced || known.member?.isOwner === true) return true;
      return decideSignIn(given, who, known).kind === "refuse";
    });
  });

  it("let somebody join without an invitation if that is off", () => {
    always((given, who, known) => {
      const decided = decideSignIn({ ...given, joinPolicy: "off" }, who, known);
      return decided.kind !== "join" || decided.invitationId !== null;
    });
  });

  it("use an invitation for another address", () => {
    always((given, who, known) => {
      const decided = decideSignIn(given, who, { ...known, invitation });
      return decided.kind !== "join" || who.email === invitation.email;
    });
  });
});
