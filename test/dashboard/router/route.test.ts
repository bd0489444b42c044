import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { dashboardPages, isDashboardPage } from "#contract/dashboard-pages.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { type PageRoute, pathTo, routeAt, sectionOf, sections } from "#dashboard/router/route.ts";

const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count),
});
const projectId = ids.project();
const deploymentId = ids.deployment();

const routes: readonly PageRoute[] = [
  { page: "overview" },
  { page: "sign_in" },
  { page: "new_project" },
  { page: "project", id: projectId },
  { page: "settings", id: projectId },
  { page: "settings_build", id: projectId },
  { page: "settings_domains", id: projectId },
  { page: "settings_releases", id: projectId },
  { page: "settings_processes", id: projectId },
  { page: "settings_cron", id: projectId },
  { page: "settings_pushes", id: projectId },
  { page: "repository", id: projectId },
  { page: "variables", id: projectId },
  { page: "deployment", id: deploymentId },
  { page: "servers" },
  { page: "pushes", id: projectId },
  { page: "events" },
  { page: "webhooks" },
  { page: "freezes" },
  { page: "audit" },
  { page: "tokens" },
  { page: "charts" },
  { page: "account" },
  { page: "members" },
  { page: "profile" },
  { page: "join" },
];

describe("a path", () => {
  it.each(routes)("leads to the page that it was made for: $page", (route) => {
    expect(routeAt(pathTo(route))).toEqual(route);
    expect(routeAt(`${pathTo(route)}/`.replace("//", "/"))).toEqual(route);
  });

  it.each(Object.entries(dashboardPages))("leads to one page only: %s", (page, path) => {
    const id = path.startsWith("deployments/") ? deploymentId : projectId;
    expect(routeAt(`/app/${path.replace(":id", id)}`)).toMatchObject({ page });
  });

  it.each(Object.values(dashboardPages))(
    "is a page to the Worker too, which decides the status: %s",
    (path) => {
      expect(isDashboardPage(`/app/${path.replace(":id", projectId)}`)).toBe(true);
    },
  );

  it.each([
    "/app/nothing",
    "/app/projects",
    "/app/projects/proj_1",
    `/app/projects/${deploymentId}`,
    `/app/projects/${projectId}/nothing`,
    `/app/projects/${projectId}/settings/more`,
    `/app/deployments/${deploymentId}/more`,
    "/app/servers/more",
  ])("leads to no page: %s", (path) => {
    expect(routeAt(path)).toEqual({ page: "not_found" });
  });
});

describe("docs/dashboard.md", () => {
  it("lists every page", async () => {
    const docs = await readFile(join(import.meta.dirname, "../../../docs/dashboard.md"), "utf8");
    const listed = [...docs.matchAll(/^\| [^|]+ \| `\/([^`]*)` \|/gm)].map(([, path]) => path);
    const paths = Object.values(dashboardPages).map((path) => path.replace(":id", "{id}"));
    expect(new Set(listed)).toEqual(new Set(paths));
  });
});

describe("the navigation", () => {
  it("links to the first page of each section", () => {
    const links = sections();
    expect([...links].slice(0, 2)).toEqual([
      ["Projects", "/app/"],
      ["Servers", "/app/servers"],
    ]);
    const named = routes.flatMap((route) => sectionOf(route) ?? []);
    expect(new Set(links.keys())).toEqual(new Set(named));
  });

  it("marks the section of the current page", () => {
    expect(sectionOf({ page: "settings", id: projectId })).toBe("Projects");
    expect(sectionOf({ page: "account" })).toBeNull();
    expect(sectionOf({ page: "not_found" })).toBeNull();
  });
});
