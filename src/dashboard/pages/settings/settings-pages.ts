import type { PageRoute } from "#dashboard/router/route.ts";

/** The pages with a form for a part of the settings, each with its heading. */
export const settingsPages = {
  settings: "General settings",
  settings_build: "Source and build",
  settings_domains: "Domains",
  settings_releases: "Releases",
  settings_processes: "Process settings",
  settings_cron: "Cron jobs",
  settings_pushes: "Deploy on push",
} as const satisfies Partial<Record<PageRoute["page"], string>>;

export type SettingsPage = keyof typeof settingsPages;

/** What the navigation of the settings leads to, in its order. Variables and the hook have pages of their own. */
export const settingsLinks = [
  ["settings", "General"],
  ["settings_build", "Source and build"],
  ["repository", "Repository access"],
  ["settings_domains", "Domains"],
  ["settings_releases", "Releases"],
  ["variables", "Variables"],
  ["settings_processes", "Processes"],
  ["settings_cron", "Cron jobs"],
  ["settings_pushes", "Deploy on push"],
  ["pushes", "Hook"],
] as const;
