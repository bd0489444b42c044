import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";
import { projectsText, scopesText } from "#dashboard/text/permissions.ts";

let count = 0;
const ids = createIdGenerator({
  now: () => 1_700_000_000_000 + (count += 1),
  randomBytes: (bytes) => new Uint8Array(bytes),
});
const projects = ["shop", "blog"].map((name) => ({
  id: ids.project(),
  name,
  framework: "static",
  domain: `${name}.localhost`,
  server_id: ids.server(),
  last_deploy: null,
}));

describe("the text of a token's permissions", () => {
  it("is full access for all scopes, and leaves out scopes that a write scope includes", () => {
    expect(scopesText(allScopes)).toBe("Full access");
    const isIncluded = (scope: Scope) =>
      allScopes.some((other) => other !== scope && other === scope.replace(/:read$/, ":write"));
    expect(scopesText(allScopes.filter((scope) => !isIncluded(scope)))).toBe("Full access");
    expect(scopesText(allScopes.filter((scope) => scope !== "events:read"))).not.toBe("Full access");
    expect(scopesText(allScopes.filter((scope) => !scope.startsWith("members:")))).toBe(
      "Full access, without members",
    );
  });

  it("omits read scopes that a write scope includes", () => {
    expect(scopesText(["deployments:read", "deployments:write", "projects:read"])).toBe(
      "Deploy, roll back, scale, cancel and delete; View projects, their settings and the values of plain variables",
    );
  });

  it("has the names of the token's projects, and the number of others", () => {
    const known = projects.map(({ id }) => id);
    expect(projectsText(known.slice(0, 1), projects)).toBe("shop");
    expect(projectsText([...known, ids.project()], projects)).toBe("shop, blog, 1 that you cannot view");
  });
});
