import { project, row } from "#contract/endpoints/projects/example.ts";
import { NO_DEFINITIONS } from "#contract/endpoints/projects/repository-definitions.ts";
import { repositoryAccessTexts } from "#contract/endpoints/projects/repository-access-texts.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

export const projectTexts = {
  listProjects: {
    summary: "List projects, newest first",
    description: prose`
      Returns the projects that the token can access, newest first. Without \`limit\`, the response contains all of them:
      an account can have 1,000 projects.`,
    answer: {
      projects: [row],
      health: { [row.id]: { state: "ok", reasons: [] } },
      next_cursor: null,
    },
  },
  createProject: {
    summary: "Create a project",
    description: prose`
      Creates a project. Only \`name\`, \`server_id\` and \`repository\` are required. If you omit the framework, the
      build command or the output directory, the agent detects them from the files. This call deploys nothing; start a
      deployment with \`POST /v1/projects/{project_id}/deployments\`.

      The name must be unique in the account (409 \`name_taken\`), and the domain and the aliases in the installation
      (409 \`domain_taken\`). Without \`domain\`, the project gets \`<name>.<base domain>\`. A \`server_id\` that is not a
      server of the account is 422.

      A password in the \`repository\` is sealed for the server as the secret \`GANTRY_REPOSITORY_TOKEN\`, and the
      address is stored without it. If the server's agent has not connected yet, nothing can be sealed (409
      \`no_seal_key\`): omit the password, and set the secret later.`,
    body: {
      name: "shop",
      server_id: example.server,
      repository: "git@github.com:acme/shop.git",
      domain: "shop.example.com",
      install_command: "npm ci",
      build_command: "npm run build",
      release_command: "npx prisma migrate deploy",
      shared_paths: ["storage"],
      health_check: { path: "/up" },
    },
    answer: {
      ...project,
      last_deploy: null,
      serving: null,
      processes: {},
      aliases: [],
      cron: [],
      deploy_on: { ...project.deploy_on, ignore_paths: [] },
      detected_processes: {},
      repository_definitions: NO_DEFINITIONS,
      processes_state: null,
      variables_applied: null,
      maintenance: null,
      ingress_problem: null,
      health: { state: "unknown", reasons: [] },
      deploy_key: null,
    },
    location: `/v1/projects/${example.project}`,
  },
  getProject: {
    summary: "Get a project",
    description: prose`
      Returns one project with its settings. \`serving\` is what the server serves according to its agent's last report;
      \`drifted\` is true if that is not the live deployment, for example after a manual change on the server.

      Passwords, tokens and query values in \`repository\` and in the \`health_check\` are replaced by \`***\`. An
      update that sends \`***\` back is refused.`,
    answer: project,
  },
  updateProject: {
    summary: "Change the settings of a project",
    description: prose`
      Changes settings. Omitted fields keep their values. New settings apply to deployments that start from now on;
      running and queued deployments keep the settings they were started with. To apply new \`processes\`,
      \`drain_seconds\`, \`aliases\` or \`cron\` to the live deployment without a build, call
      \`POST /v1/projects/{project_id}/apply\`.

      A new \`server_id\` moves a project with one server: the next deployment goes to the new server, and when that
      deployment is live, the old server stops serving the project. New \`servers\` count from the next deployment on too:
      after them, \`POST /v1/projects/{project_id}/apply\` brings the live code to servers that were added. A token that is
      limited to projects can change neither (403).
      The name must be unique in the account (409 \`name_taken\`), the domain and the aliases in the installation (409
      \`domain_taken\`). \`aliases\` and \`cron\` are replaced as a whole. A password in the \`repository\` is stored as when a
      project is created.

      The session of a member must be confirmed to weaken \`approval\` (403 \`reauthentication_required\`), in the order
      \`by_another_person\`, \`by_another\`, \`required\`, \`none\`.`,
    body: { branch: "stable", keep_releases: 10, timeouts: { build_seconds: 1200 } },
    answer: {
      ...project,
      branch: "stable",
      keep_releases: 10,
      timeouts: { ...project.timeouts, build_seconds: 1200 },
    },
  },
  ...repositoryAccessTexts,
  deleteProject: {
    summary: "Delete a project",
    description: prose`
      Deletes a project with its deployments and logs. The server keeps the files and continues to serve them, unless
      you send \`purge=true\`, which removes them. The response does not wait for the servers: each removes the
      project when its agent is connected. Processes then get their stop signal, and what is left of them after
      \`stop_seconds\` is killed.

      While a deployment of the project is running or queued, the response is 409 \`project_busy\`: cancel the
      deployment, or wait until it has ended.`,
  },
} as const satisfies Partial<OperationTexts>;
