import { initialSettings } from "#contract/endpoints/projects/project-settings.ts";
import { exampleKey } from "#contract/endpoints/projects/repository-access-texts.ts";
import { example } from "#contract/reference/examples.ts";

/** The shop of the reference's examples, as a row of the list. */
export const row = {
  id: example.project,
  name: "shop",
  framework: "express",
  domain: "shop.example.com",
  server_id: example.server,
  last_deploy: "2026-11-20T09:14:02.310Z",
} as const;

/** The same with every field. */
export const project = {
  ...row,
  ...initialSettings,
  servers: [{ id: example.server, processes: null, cron: false }],
  repository: "git@github.com:acme/shop.git",
  install_command: "npm ci",
  build_command: "npm run build",
  output_directory: ".",
  trailing_slash: "auto",
  fallback: null,
  release_command: "npx prisma migrate deploy",
  shared_paths: ["storage"],
  health_check: {
    path: "/up",
    status: 200,
    tries: 10,
    interval_seconds: 1,
    timeout_seconds: 5,
  },
  limits: { memory_mb: 2048 },
  processes: { web: { instances: 2 } },
  aliases: [{ domain: "www.shop.example.com", redirect: true }],
  cron: [
    { name: "backup", schedule: "30 2 * * *", command: "node scripts/backup.js", timezone: "Europe/Berlin" },
  ],
  deploy_on: {
    enabled: true,
    branches: null,
    tags: [],
    paths: null,
    ignore_paths: ["docs"],
    skip_markers: ["[skip deploy]", "[deploy skip]"],
    poll: false,
  },
  automatic: [],
  suggested_release_command: "npx prisma migrate deploy",
  app_type: "server",
  framework_reasons: ["package.json depends on express"],
  url: null,
  serving: {
    deployment_id: example.deployment,
    version: 12,
    commit: example.commit,
    checked_at: "2026-11-20T09:15:01.118Z",
    drifted: false,
  },
  detected_processes: { web: { command: "node server.js" } },
  repository_definitions: {
    release_command: { command: "npm run migrate", from: "Procfile" },
    processes: { web: "Procfile" },
    cron: [],
  },
  processes_state: "running",
  variables_applied: true,
  maintenance: null,
  ingress_problem: null,
  health: { state: "ok", reasons: [] },
  deploy_key: exampleKey,
  servers_state: [],
  balance_state: [],
  created_at: "2026-11-02T08:10:27.640Z",
} as const;
