import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createIdGenerator, type ProjectId } from "#contract/ids.ts";
import { ExtraScope, Role, roleScopes } from "#contract/roles.ts";
import { allScopes, type Scope, scopesAllow } from "#contract/scopes.ts";
import { type Permission, reachOf } from "#contract/permissions.ts";
import {
  type Grant,
  type MemberRights,
  narrowed,
  permissionsOfMember,
} from "#domain/members/member-permissions.ts";

const ids = createIdGenerator({ now: () => 1, randomBytes: (count) => new Uint8Array(count) });
const shop = ids.project();
const blog = ids.project();
/** No list names it: it stands for the rest of the account. */
const other = ids.project();
const PROJECTS = [shop, blog, other];

const someProjects = fc.option(fc.subarray([shop, blog], { minLength: 1 }));
const grant: fc.Arbitrary<Grant> = fc.record({
  role: fc.constantFrom(...Role.options),
  projectIds: someProjects,
  extra: fc.subarray([...ExtraScope.options]),
});
const member: fc.Arbitrary<MemberRights> = fc.record({
  isOwner: fc.boolean(),
  grants: fc.array(grant, { maxLength: 4 }),
});
const token: fc.Arbitrary<Permission> = fc.record({
  scopes: fc.subarray([...allScopes], { minLength: 1 }),
  projectIds: someProjects,
});
const anyScope = fc.constantFrom(...allScopes);

const includes = (reach: readonly ProjectId[] | null, id: ProjectId) => reach === null || reach.includes(id);
const projectsIn = (reach: readonly ProjectId[] | null) => PROJECTS.filter((id) => includes(reach, id));

describe("a member", () => {
  it("has a scope in a project if one grant gives that scope there", () => {
    fc.assert(
      fc.property(member, anyScope, (rights, scope) => {
        const given = PROJECTS.filter(
          (id) =>
            rights.isOwner ||
            rights.grants.some(
              ({ role, extra, projectIds }) =>
                includes(projectIds, id) && scopesAllow([...roleScopes[role], ...extra], scope),
            ),
        );
        expect(projectsIn(reachOf(permissionsOfMember(rights), scope))).toEqual(given);
      }),
    );
  });

  it("can see every project and deploy one", () => {
    const rights: MemberRights = {
      isOwner: false,
      grants: [
        { role: "viewer", projectIds: null, extra: [] },
        { role: "deployer", projectIds: [shop], extra: [] },
      ],
    };
    expect(reachOf(permissionsOfMember(rights), "deployments:read")).toBeNull();
    expect(reachOf(permissionsOfMember(rights), "deployments:write")).toEqual([shop]);
    expect(reachOf(permissionsOfMember(rights), "deployments:approve")).toEqual([]);
  });

  it("without a grant has no scope", () => {
    for (const scope of allScopes)
      expect(reachOf(permissionsOfMember({ isOwner: false, grants: [] }), scope)).toEqual([]);
  });
});

describe("a personal token", () => {
  it("has a scope where the token and its member have it", () => {
    fc.assert(
      fc.property(token, member, anyScope, (own, rights, scope) => {
        const ofToken = scopesAllow(own.scopes, scope) ? projectsIn(own.projectIds) : [];
        const ofMember = projectsIn(reachOf(permissionsOfMember(rights), scope));
        expect(projectsIn(reachOf(narrowed(permissionsOfMember(rights), own), scope))).toEqual(
          PROJECTS.filter((id) => ofToken.includes(id) && ofMember.includes(id)),
        );
      }),
    );
  });
});

describe("a role", () => {
  it("below admin has no scope for tokens, the audit log, the account, settings, commands and approvals", () => {
    const kept: readonly Scope[] = [
      "tokens:read",
      "audit:read",
      "account:write",
      "projects:write",
      "commands:run",
      "deployments:approve",
      "deployments:emergency",
    ];
    for (const role of ["viewer", "deployer"] as const)
      for (const scope of kept) expect(scopesAllow(roleScopes[role], scope)).toBe(false);
  });
});
