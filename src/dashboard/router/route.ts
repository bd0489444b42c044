import type * as z from "zod/mini";

import { dashboardPages } from "#contract/dashboard-pages.ts";
import { DeploymentId, ProjectId } from "#contract/ids.ts";
import { dashboardPaths } from "#contract/public-paths.ts";

const ROOT = dashboardPaths.root;

/** The part of a path before its first slash. */
type FirstPart<Path extends string> = Path extends `${infer First}/${string}` ? First : Path;
type Pages = typeof dashboardPages;
type Part = FirstPart<Pages[keyof Pages]>;

/** The schema of `:id`, by the first part of a page's path. */
const ids = { projects: ProjectId, deployments: DeploymentId } as const;

/**
 * The entry of the navigation that is marked while a page is shown, by the first part of its path. It links to its first
 * page.
 */
const sectionsByPart = {
  "": "Projects",
  projects: "Projects",
  deployments: "Projects",
  servers: "Servers",
  charts: "Charts",
  events: "Events",
  audit: "Audit log",
  freezes: "Freezes",
  webhooks: "Webhooks",
  members: "Members",
  tokens: "Tokens",
  account: null,
  profile: null,
  "sign-in": null,
  join: null,
  connect: null,
} as const satisfies Readonly<Record<Part, string | null>>;

/** An entry of the navigation. */
export type Section = Exclude<(typeof sectionsByPart)[Part], null>;

/** A page whose path starts with one of the names of `ids`, and has an id after it. */
type RouteTo<Page extends keyof Pages> =
  Pages[Page] extends `${infer Kind extends keyof typeof ids}/:id${string}`
    ? { readonly page: Page; readonly id: z.infer<(typeof ids)[Kind]> }
    : { readonly page: Page };

/** A page, with the id of the object that it shows. */
export type PageRoute = { [Page in keyof Pages]: RouteTo<Page> }[keyof Pages];
export type Route = PageRoute | { readonly page: "not_found" };

const paths: ReadonlyMap<string, string> = new Map(Object.entries(dashboardPages));
const schemas: ReadonlyMap<string, z.ZodMiniType<string>> = new Map(Object.entries(ids));
const sectionNames: ReadonlyMap<string, Section | null> = new Map(Object.entries(sectionsByPart));

const firstPart = (path: string) => path.split("/", 1)[0] ?? "";

/** Whether a path belongs to the dashboard. */
export function isWithinDashboard(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

/** The page at a path, such as `/app/servers`. */
export function routeAt(path: string): Route {
  const given = path.slice(ROOT.length + 1).replace(/\/$/, "");
  for (const [page, pattern] of paths) {
    const match = new RegExp(`^${pattern.replace(":id", "([^/]+)")}$`).exec(given);
    if (match === null) continue;
    const [, id] = match;
    const route = id === undefined ? { page } : { page, id };
    if (isRoute(route)) return route;
  }
  return { page: "not_found" };
}

/** Whether the page exists and the id is of the kind that it takes. */
function isRoute(route: { readonly page: string; readonly id?: string }): route is PageRoute {
  const path = paths.get(route.page);
  if (path?.includes(":id") !== true) return path !== undefined;
  return schemas.get(firstPart(path))?.safeParse(route.id).success === true;
}

/** The path of a page. */
export function pathTo(route: PageRoute): string {
  return `${ROOT}/${dashboardPages[route.page].replace(":id", "id" in route ? route.id : "")}`;
}

/** The section that a page is in. */
export function sectionOf({ page }: Route): Section | null {
  const path = paths.get(page);
  return path === undefined ? null : (sectionNames.get(firstPart(path)) ?? null);
}

/** The navigation: the path of each section's first page, by the section's name. */
export function sections(): ReadonlyMap<Section, string> {
  const links = new Map<Section, string>();
  for (const path of paths.values()) {
    const section = sectionNames.get(firstPart(path)) ?? null;
    if (section !== null && !links.has(section)) links.set(section, `${ROOT}/${path}`);
  }
  return links;
}
