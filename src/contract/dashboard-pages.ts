import { dashboardPaths } from "#contract/public-paths.ts";

/** Every page of the dashboard: its path below the root, with `:id` where the page is about one object. */
export const dashboardPages = {
  overview: "",
  new_project: "projects/new",
  project: "projects/:id",
  settings: "projects/:id/settings",
  settings_build: "projects/:id/settings/build",
  settings_domains: "projects/:id/settings/domains",
  settings_releases: "projects/:id/settings/releases",
  settings_processes: "projects/:id/settings/processes",
  settings_cron: "projects/:id/settings/cron",
  settings_pushes: "projects/:id/settings/pushes",
  repository: "projects/:id/repository",
  variables: "projects/:id/variables",
  pushes: "projects/:id/pushes",
  commands: "projects/:id/commands",
  processes: "projects/:id/processes",
  project_charts: "projects/:id/charts",
  deployment: "deployments/:id",
  servers: "servers",
  charts: "charts",
  events: "events",
  audit: "audit",
  freezes: "freezes",
  webhooks: "webhooks",
  members: "members",
  tokens: "tokens",
  trust_rules: "tokens/trust-rules",
  account: "account",
  profile: "profile",
  sign_in_settings: "members/sign-in",
  sign_in: "sign-in",
  sign_in_callback: "sign-in/callback",
  join: "join",
  connect: "connect",
} as const satisfies Readonly<Record<string, string>>;

const forms = Object.values(dashboardPages).map((path) => path.replace(":id", "\\w+"));
const PAGE = new RegExp(`^${dashboardPaths.root}/(?:(?:${forms.filter(Boolean).join("|")})/?)?$`);

/** Whether a path has the form of a page of the dashboard. Only the page's script finds out if an id in it exists. */
export function isDashboardPage(path: string): boolean {
  return PAGE.test(path);
}
