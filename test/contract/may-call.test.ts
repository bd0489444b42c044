import { describe, expect, it } from "vitest";

import { accountToken, token } from "#contract/endpoints/endpoint-defaults.ts";
import { missingPermission, type Place } from "#contract/may-call.ts";
import { roleScopes } from "#contract/roles.ts";
import { ProjectId } from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";

const shop = ProjectId.parse("proj_00000000000000000000000001");
const blog = ProjectId.parse("proj_00000000000000000000000002");

describe("a member who views the account and deploys one project", () => {
  const permissions = [
    { scopes: roleScopes.viewer, projectIds: null },
    { scopes: roleScopes.deployer, projectIds: [shop] },
  ];
  const lack = (scope: Scope, place?: Place) => missingPermission(token(scope), permissions, place);

  it("lacks the scope in other projects", () => {
    expect(lack("deployments:write", shop)).toBeNull();
    expect(lack("deployments:write", blog)).toBe("scope");
    expect(lack("deployments:write", [shop, blog])).toBe("scope");
    expect(lack("deployments:read", blog)).toBeNull();
  });

  it("may call the endpoint somewhere, and not for the whole account", () => {
    expect(lack("deployments:write")).toBeNull();
    expect(lack("deployments:write", null)).toBe("account");
    expect(lack("deployments:read", null)).toBeNull();
  });

  it("lacks the scope everywhere if no grant has it, and access to the account if one has it in a project", () => {
    expect(lack("projects:write", shop)).toBe("scope");
    const admin = [{ scopes: roleScopes.admin, projectIds: [shop] }];
    expect(missingPermission(accountToken("projects:write"), admin, shop)).toBe("account");
  });
});
