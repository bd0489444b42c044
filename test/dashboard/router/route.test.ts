import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { pathTo, type Route, routeAt } from "#dashboard/router/route.ts";

const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count),
});
const projectId = ids.project();
const deploymentId = ids.deployment();

const routes: readonly Route[] = [
  { page: "overview" },
  { page: "sign_in" },
  { page: "new_project" },
  { page: "project", id: projectId },
  { page: "settings", id: projectId },
  { page: "deployment", id: deploymentId },
  { page: "servers" },
  { page: "tokens" },
  { page: "charts" },
  { page: "account" },
];

describe("an address", () => {
  it.each(routes)("leads to the page that it was made for: $page", (route) => {
    expect(routeAt(pathTo(route))).toEqual(route);
    expect(routeAt(`${pathTo(route)}/`.replace("//", "/"))).toEqual(route);
  });

  it.each([
    "/app/nothing",
    "/app/projects",
    "/app/projects/proj_1",
    `/app/projects/${deploymentId}`,
    `/app/projects/${projectId}/nothing`,
    `/app/projects/${projectId}/settings/more`,
    `/app/deployments/${deploymentId}/more`,
    "/app/servers/more",
  ])("leads nowhere: %s", (path) => {
    expect(routeAt(path)).toEqual({ page: "not_found" });
  });
});
