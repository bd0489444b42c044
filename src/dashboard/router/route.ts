import type * as z from "zod/mini";

import { dashboardPaths } from "#contract/public-paths.ts";
import { DeploymentId, ProjectId } from "#contract/ids.ts";

const ROOT = dashboardPaths.root;

type Entry = {
  /** Below the root, with `:id` where the page is about one object. */
  readonly path: string;
  /** The schema of `:id`. */
  readonly id?: z.ZodMiniType<string>;
  /** The entry of the navigation that is marked while the page is shown. It links to its first page. */
  readonly section: string | null;
};

/** Every page of the dashboard. */
export const pages = {
  overview: { path: "", section: "Projects" },
  new_project: { path: "projects/new", section: "Projects" },
  project: { path: "projects/:id", id: ProjectId, section: "Projects" },
  settings: { path: "projects/:id/settings", id: ProjectId, section: "Projects" },
  settings_build: { path: "projects/:id/settings/build", id: ProjectId, section: "Projects" },
  settings_domains: { path: "projects/:id/settings/domains", id: ProjectId, section: "Projects" },
  settings_releases: { path: "projects/:id/settings/releases", id: ProjectId, section: "Projects" },
  settings_processes: { path: "projects/:id/settings/processes", id: ProjectId, section: "Projects" },
  settings_cron: { path: "projects/:id/settings/cron", id: ProjectId, section: "Projects" },
  settings_pushes: { path: "projects/:id/settings/pushes", id: ProjectId, section: "Projects" },
  repository: { path: "projects/:id/repository", id: ProjectId, section: "Projects" },
  variables: { path: "projects/:id/variables", id: ProjectId, section: "Projects" },
  pushes: { path: "projects/:id/pushes", id: ProjectId, section: "Projects" },
  commands: { path: "projects/:id/commands", id: ProjectId, section: "Projects" },
  processes: { path: "projects/:id/processes", id: ProjectId, section: "Projects" },
  project_charts: { path: "projects/:id/charts", id: ProjectId, section: "Projects" },
  deployment: { path: "deployments/:id", id: DeploymentId, section: "Projects" },
  servers: { path: "servers", section: "Servers" },
  charts: { path: "charts", section: "Charts" },
  events: { path: "events", section: "Events" },
  audit: { path: "audit", section: "Audit log" },
  freezes: { path: "freezes", section: "Freezes" },
  webhooks: { path: "webhooks", section: "Webhooks" },
  tokens: { path: "tokens", section: "Tokens" },
  account: { path: "account", section: null },
  sign_in: { path: "sign-in", section: null },
} as const satisfies Readonly<Record<string, Entry>>;

type Pages = typeof pages;
/** An entry of the navigation. */
export type Section = Exclude<Pages[keyof Pages]["section"], null>;
type RouteTo<Page extends keyof Pages> = Pages[Page] extends { readonly id: infer Id extends z.ZodMiniType }
  ? { readonly page: Page; readonly id: z.infer<Id> }
  : { readonly page: Page };

/** A page, with the id of the object that it shows. */
export type PageRoute = { [Page in keyof Pages]: RouteTo<Page> }[keyof Pages];
export type Route = PageRoute | { readonly page: "not_found" };

const entries: ReadonlyMap<string, Entry> = new Map(Object.entries(pages));

/** Whether a path belongs to the dashboard. */
export function isWithinDashboard(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

/** The page at a path, such as `/app/servers`. */
export function routeAt(path: string): Route {
  const given = path.slice(ROOT.length + 1).replace(/\/$/, "");
  for (const [page, entry] of entries) {
    const match = new RegExp(`^${entry.path.replace(":id", "([^/]+)")}$`).exec(given);
    if (match === null) continue;
    const [, id] = match;
    const route = id === undefined ? { page } : { page, id };
    if (isRoute(route)) return route;
  }
  return { page: "not_found" };
}

/** Whether the page exists and the id is of the kind that it takes. */
function isRoute(route: { readonly page: string; readonly id?: string }): route is PageRoute {
  const entry = entries.get(route.page);
  return entry !== undefined && (entry.id === undefined || entry.id.safeParse(route.id).success);
}

/** The path of a page. */
export function pathTo(route: PageRoute): string {
  return `${ROOT}/${pages[route.page].path.replace(":id", "id" in route ? route.id : "")}`;
}

/** The section that a page is in. */
export function sectionOf({ page }: Route): string | null {
  return entries.get(page)?.section ?? null;
}

/** The navigation: the path of each section's first page, by the section's name. */
export function sections(): ReadonlyMap<Section, string> {
  const paths = new Map<Section, string>();
  for (const { path, section } of Object.values(pages))
    if (section !== null && !paths.has(section)) paths.set(section, `${ROOT}/${path}`);
  return paths;
}
