import { dashboardPaths } from "#contract/dashboard-paths.ts";
import { DeploymentId, ProjectId } from "#contract/ids.ts";

const ROOT = dashboardPaths.root;

/** What the dashboard can show, each at an address of its own. */
export type Route =
  | { readonly page: "overview" }
  | { readonly page: "sign_in" }
  | { readonly page: "new_project" }
  | { readonly page: "project"; readonly id: ProjectId }
  | { readonly page: "settings"; readonly id: ProjectId }
  | { readonly page: "deployment"; readonly id: DeploymentId }
  | { readonly page: "servers" }
  | { readonly page: "tokens" }
  | { readonly page: "charts" }
  | { readonly page: "account" }
  | { readonly page: "not_found" };

/** Whether an address is one of the dashboard's. */
export function isWithinDashboard(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

/** What an address within the dashboard leads to. @param path of a URL, such as `/app/servers` */
export function routeAt(path: string): Route {
  const [first, second, third, ...rest] = path
    .slice(ROOT.length + 1)
    .replace(/\/$/, "")
    .split("/");
  if (rest.length > 0) return { page: "not_found" };
  if (second === undefined) return pageNamed(first ?? "");
  if (first === "projects") {
    if (second === "new" && third === undefined) return { page: "new_project" };
    const id = ProjectId.safeParse(second);
    if (id.success && third === undefined) return { page: "project", id: id.data };
    if (id.success && third === "settings") return { page: "settings", id: id.data };
  }
  if (first === "deployments" && third === undefined) {
    const id = DeploymentId.safeParse(second);
    if (id.success) return { page: "deployment", id: id.data };
  }
  return { page: "not_found" };
}

function pageNamed(name: string): Route {
  switch (name) {
    case "":
      return { page: "overview" };
    case "sign-in":
      return { page: "sign_in" };
    case "servers":
    case "tokens":
    case "charts":
    case "account":
      return { page: name };
    default:
      return { page: "not_found" };
  }
}

/** The address of a route. */
export function pathTo(route: Route): string {
  switch (route.page) {
    case "overview":
    case "not_found":
      return `${ROOT}/`;
    case "sign_in":
      return `${ROOT}/sign-in`;
    case "new_project":
      return `${ROOT}/projects/new`;
    case "project":
      return `${ROOT}/projects/${route.id}`;
    case "settings":
      return `${ROOT}/projects/${route.id}/settings`;
    case "deployment":
      return `${ROOT}/deployments/${route.id}`;
    case "servers":
    case "tokens":
    case "charts":
    case "account":
      return `${ROOT}/${route.page}`;
  }
}
