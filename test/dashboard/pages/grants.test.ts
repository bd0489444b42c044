import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { draftsOf, grantsIn, newGrant } from "#dashboard/pages/members/grant-draft.ts";
import { grantText, roleOfGrant } from "#dashboard/pages/members/grant-texts.ts";

const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count),
});
const project = ids.project();
const projects = [
  { id: project, name: "shop", framework: "static", domain: "", server_id: ids.server(), last_deploy: null },
];
const deployer = {
  role: "deployer",
  project_ids: [project],
  extra_scopes: ["deployments:approve", "commands:run"],
} as const;

describe("a grant in words", () => {
  it("names the role, its projects and what it adds", () => {
    const grant = { ...deployer, project_ids: [project], extra_scopes: [...deployer.extra_scopes] };
    expect(grantText(grant, projects)).toBe("Deployer of shop, approves deployments, runs commands");
    expect(roleOfGrant(grant)).toBe("Deployer of 1 project, approves deployments, runs commands");
    expect(grantText({ role: "viewer", project_ids: null, extra_scopes: [] }, projects)).toBe(
      "Viewer of all projects",
    );
  });
});

describe("the draft of grants", () => {
  it("is a viewer for a member without grants", () => {
    expect(draftsOf([])).toEqual([newGrant]);
  });

  it("sends what was read, without extra scopes of an admin", () => {
    const read = [{ ...deployer, project_ids: [project], extra_scopes: [...deployer.extra_scopes] }];
    expect(grantsIn(draftsOf(read))).toEqual(read);
    const admins = draftsOf(read).map((draft) => ({ ...draft, role: "admin" as const }));
    expect(grantsIn(admins)).toMatchObject([{ role: "admin", extra_scopes: [] }]);
  });
});
