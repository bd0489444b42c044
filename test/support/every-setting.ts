import type { UpdateProjectInput } from "#contract/endpoints/projects/schemas.ts";
import type { SettingName } from "#contract/endpoints/projects/project-settings.ts";
import { defaultTimeouts } from "#contract/stages.ts";

type Given = { readonly [Name in SettingName]: NonNullable<UpdateProjectInput[Name]> };

/** A value for each setting of a project that no new project has. Another server has its own tests. */
export const everySetting = {
  name: "store",
  repository: "git@git.test:team/store.git",
  branch: "trunk",
  commits: "any",
  framework: "astro",
  domain: "store.example.com",
  root_directory: "apps/store",
  install_command: "make deps",
  build_command: "make",
  output_directory: "public",
  trailing_slash: "never",
  fallback: "200.html",
  release_command: "make migrate",
  activate_command: "touch /tmp/restart",
  shared_paths: ["storage"],
  keep_releases: 9,
  asset_overlap: 0,
  health_check: { path: "/up", status: 204, tries: 3, interval_seconds: 0.5, timeout_seconds: 2 },
  timeouts: {
    ...defaultTimeouts,
    queue_seconds: 1,
    fetch_seconds: 2,
    build_seconds: 3,
    activate_seconds: 4,
    verify_seconds: 5,
  },
  limits: { memory_mb: 512, cpu_weight: 200, tasks: 64 },
  queue: "latest",
  approval: "required",
  processes: { web: { command: "make serve", instances: 2, stop_signal: "SIGQUIT" } },
  drain_seconds: 7,
  aliases: [{ domain: "www.store.example.com", redirect: false }],
  cron: [{ name: "backup", schedule: "@daily", command: "make backup" }],
  deploy_on: {
    enabled: false,
    branches: ["main"],
    tags: ["v*"],
    paths: ["src/**"],
    ignore_paths: ["docs/**"],
    skip_markers: ["[skip]"],
    poll: true,
  },
} satisfies Omit<Given, "server_id">;
