import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { allScopes } from "#contract/scopes.ts";
import { projectsText, scopesText } from "#dashboard/text/granted.ts";

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

describe("what a token may do", () => {
  it("is everything, also where what implies the rest is all that is said", () => {
    expect(scopesText(allScopes)).toBe("Everything");
    expect(scopesText(allScopes.filter((scope) => !scope.endsWith(":read")))).toBe("Everything");
  });

  it("is told without what goes without saying", () => {
    expect(scopesText(["deployments:read", "deployments:write", "projects:read"])).toBe(
      "Deploy, roll back, cancel and delete; See projects and their settings",
    );
  });

  it("is told with the names of its projects, and how many others there are", () => {
    const known = projects.map(({ id }) => id);
    expect(projectsText(known.slice(0, 1), projects)).toBe("shop");
    expect(projectsText([...known, ids.project()], projects)).toBe("shop, blog, 1 that you do not see");
  });
});
