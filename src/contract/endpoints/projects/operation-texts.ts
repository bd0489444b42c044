import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

const row = {
  id: example.project,
  name: "shop",
  framework: "astro",
  domain: "shop.example.com",
  server_id: example.server,
  last_deploy: "2026-11-20T09:14:02.310Z",
} as const;

const project = {
  ...row,
  repository: "git@github.com:acme/shop.git",
  branch: "main",
  commits: "reachable",
  root_directory: ".",
  build_command: "npm ci && npm run build",
  output_directory: "dist",
  activate_command: "systemctl --user restart shop",
  shared_paths: ["storage"],
  keep_releases: 5,
  health_check: {
    url: "http://127.0.0.1:3000/up",
    status: 200,
    tries: 10,
    interval_seconds: 1,
    timeout_seconds: 5,
  },
  timeouts: {
    queue_seconds: 900,
    fetch_seconds: 600,
    build_seconds: 600,
    activate_seconds: 60,
    verify_seconds: 60,
  },
  queue: "all",
  automatic: [],
  url: null,
  serving: {
    deployment_id: example.deployment,
    commit: example.commit,
    checked_at: "2026-11-20T09:15:01.118Z",
    drifted: false,
  },
  created_at: "2026-11-02T08:10:27.640Z",
} as const;

export const projectTexts = {
  listProjects: {
    tag: "Projects",
    description: prose`
      The projects that the token can see, the newest first. Without \`limit\` all of them are in one answer: an
      account holds at most 1,000.`,
    body: null,
    answer: { projects: [row], next_cursor: null },
  },
  createProject: {
    tag: "Projects",
    description: prose`
      Creates a project. Only \`name\`, \`server_id\` and \`repository\` are required; the framework,
      how it is built and where the result lies are found out by the agent where they are left out. Nothing is deployed yet: that takes \`POST /v1/projects/{project_id}/deployments\`.

      The name must be new in the account (409 \`name_taken\`), the domain in the whole installation (409
      \`domain_taken\`); without \`domain\` it gets \`<name>.<base domain>\`. A \`server_id\` that is not one of the
      account's servers is 422.`,
    body: {
      name: "shop",
      server_id: example.server,
      repository: "git@github.com:acme/shop.git",
      domain: "shop.example.com",
      build_command: "npm ci && npm run build",
      output_directory: "dist",
      activate_command: "systemctl --user restart shop",
      shared_paths: ["storage"],
      health_check: { url: "http://127.0.0.1:3000/up" },
    },
    answer: { ...project, last_deploy: null, serving: null },
    location: `/v1/projects/${example.project}`,
  },
  getProject: {
    tag: "Projects",
    description: prose`
      One project with its settings. \`serving\` is what its server really serves, as the agent last said; if
      somebody has changed that by hand, \`drifted\` is true. A password or token in the \`repository\` or in
      the \`health_check\`'s \`url\` is never shown again, and neither are the values of their queries: \`***\` stands
      in their place, and a change that sends it back is refused.`,
    body: null,
    answer: project,
  },
  updateProject: {
    tag: "Projects",
    description: prose`
      Changes settings; what is left out stays as it is. They count from the next deployment on: what runs or waits
      goes on with what it was started with.

      A new \`server_id\` moves the project: its next deployment goes to the new server, and once that is live the old
      server stops serving it. A token that is limited to some projects cannot move one (403). A new name must be new in
      the account (409 \`name_taken\`), a new domain in the whole installation (409 \`domain_taken\`).`,
    body: { branch: "stable", keep_releases: 10, timeouts: { build_seconds: 1200 } },
    answer: { ...project, branch: "stable", keep_releases: 10 },
  },
  deleteProject: {
    tag: "Projects",
    description: prose`
      Removes a project with its deployments and their logs. Its files stay on the server, and go on being served,
      unless \`purge=true\` asks for them to be removed too.

      While a deployment of the project runs or waits it is 409 \`project_busy\`: cancel it, or let it end.`,
    body: null,
    answer: null,
  },
} as const satisfies Partial<OperationTexts>;
