import { project, row } from "#contract/endpoints/projects/example.ts";
import {
  repositoryAccessSchemas,
  repositoryAccessTexts,
} from "#contract/endpoints/projects/repository-access-texts.ts";
import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import * as schemas from "#contract/endpoints/projects/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import {
  choice,
  nested,
  nextCursor,
  object,
  type SchemaText,
} from "#contract/reference/schemas/schema-text.ts";
import { timeoutTexts } from "#contract/reference/stage-texts.ts";

export const projectTexts = {
  listProjects: {
    summary: "List projects, newest first",
    description: prose`
      Returns the projects that the token can access, newest first. Without \`limit\`, the response contains all of them:
      an account can have 1,000 projects.`,
    answer: { projects: [row], next_cursor: null },
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
      processes_state: null,
      variables_applied: null,
      maintenance: null,
      ingress_problem: null,
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

      A new \`server_id\` moves the project: the next deployment goes to the new server, and when that deployment is
      live, the old server stops serving the project. A token that is limited to projects cannot move a project (403).
      The name must be unique in the account (409 \`name_taken\`), the domain and the aliases in the installation (409
      \`domain_taken\`). \`aliases\` and \`cron\` are replaced as a whole. A password in the \`repository\` is stored as when a
      project is created.`,
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
      you send \`purge=true\`, which removes them.

      While a deployment of the project is running or queued, the response is 409 \`project_busy\`: cancel the
      deployment, or wait until it has ended.`,
  },
} as const satisfies Partial<OperationTexts>;

const settingFields = {
  name: "A name for people, on one line, without invisible characters or characters that change the text direction.",
  server_id: "The id of the project's server.",
  repository:
    "The git repository: an https or ssh URL, `user@host:path`, `file:///path`, or an absolute path on the server.",
  branch: "The branch or tag to deploy if a deployment names none.",
  commits: "Which commits can be deployed by their hash.",
  framework: "The framework's identifier, such as `astro`. If omitted, the agent detects the framework.",
  domain: "The host name of the site, in lower case.",
  root_directory: "The directory of the repository to build in, for repositories with several projects.",
  install_command:
    "The command that installs the dependencies, before the build command. `null`: none. If omitted: the framework's default, or none if you set a `build_command`, which then installs what it needs.",
  build_command:
    "The build command. It is run with `sh -c` in the new release. `null`: no build. If omitted, the framework's default.",
  output_directory: "The directory with the build output. If omitted, the framework's default.",
  release_command:
    "The command that runs once in each new release before the server switches to it, such as a database migration, with all variables and secrets. It runs while the earlier release still serves, so a migration must work with its code too. If it fails, nothing is switched. A rollback does not run it. `null`: none.",
  activate_command:
    "The command that puts a release into effect, for an app that is not started as one of the `processes`. It is run after the switch to a release, and again after a switch back. With it, the processes of a preset and of a Procfile do not count.",
  shared_paths:
    "Paths that all releases share, such as `storage` or `.env`. In each release, the path is a symbolic link to the same shared location, also during the build. If the shared location does not exist yet, it starts with the content of the path in the release. If the release has no such path either, a path without a dot in its name starts as an empty directory, and any other path stays missing until someone creates it. A path cannot be inside another one.",
  keep_releases: "The number of releases that the server keeps for rollbacks.",
  health_check:
    "How to check that a release works. A `path` is requested from each new instance of `web` before the switch too. `null`: no check after the switch, and a new instance must only accept connections. A password or query value in its address is not sealed: the control plane stores it, and shows it as `***`.",
  limits:
    "The resources that a build, release or activate command may use, with its processes. The server's policy may be stricter. Without effect on a server that does not isolate projects.",
  timeouts: "The maximum time of each stage.",
  queue: "What a new deployment does to the deployments in the queue.",
  approval: "Whether deployments wait for an approval. Rollbacks do not.",
  processes:
    "The project's own settings for its processes, by name. They win over what the repository defines, field by field.",
  drain_seconds: "How long replaced instances may finish their requests before they are stopped.",
  aliases: "Further host names of the site.",
  deploy_on: "Which pushes of the repository are deployed.",
  cron: "The project's own cron jobs. They win over those of gantry.json with the same name. The server's policy must allow them.",
};

const rowFields = {
  id: "The project's id.",
  name: settingFields.name,
  framework: settingFields.framework,
  domain: settingFields.domain,
  server_id: settingFields.server_id,
  last_deploy: "When the latest deployment was requested. `null` before the first.",
};

const limitTexts = {
  memory_mb:
    "The memory in MiB. A command that needs more is killed, and the deployment fails. If omitted: three quarters of the server's memory for a build or release command, and no limit for an activate command.",
  cpu_weight:
    "The share of the CPU relative to others, which have 100. If omitted: 50 for a build or release command, 100 for an activate command.",
  tasks: "The number of processes and threads. If omitted: 4096.",
};

const deployOnTexts = {
  enabled: "Whether pushes are deployed at all.",
  branches:
    "The branches to deploy, by patterns: `*` is any text without `/`, `**` any text, `?` one character. A pattern with `!` in front excludes what an earlier one includes. `null`: the project's branch.",
  tags: "The tags to deploy, by patterns such as `v*`.",
  paths:
    "Deploys a push to a branch only if a changed file matches one of these patterns. A pattern of a directory matches everything in it. `null`: every file counts.",
  ignore_paths: "Files that do not count, by patterns such as `docs` or `**/*.md`.",
  skip_markers: "Texts in the message of a branch's last commit that skip the push.",
  poll: "Whether the server's agent looks for pushes to the project's own branch every five minutes. Without it, the agent does so each hour if the repository has a hook.",
};

export const projectSchemas = {
  CommitRule: choice(schemas.CommitRule, "Which commits can be deployed by their hash.", {
    reachable: "commits that a branch or tag of the repository contains",
    any: "every commit that the git server provides, including those of pull requests and, on many git hosts, of forks",
    none: "none; only branches and tags can be deployed",
  }),
  QueueMode: choice(schemas.QueueMode, "What a new deployment does to the deployments in the queue.", {
    all: "nothing; each deployment runs in turn",
    latest: "it cancels them, so that only the newest runs",
  }),
  ApprovalRule: choice(ApprovalRule, "Whether deployments wait for an approval.", {
    none: "they do not",
    required: "they wait until a token with `deployments:approve` approves them",
    by_another: "the same, and the token that started the deployment cannot approve it",
  }),
  HealthCheck: object(
    schemas.HealthCheck,
    "How to check that a release works. Send either `path` or `url`.",
    {
      path: "A path to request from the site, on the server itself. If omitted: `url` is requested.",
      url: "A URL to request from the server. If omitted: `path` is requested.",
      status: "The expected HTTP status.",
      tries: "How many times the check is tried before the release fails.",
      interval_seconds: "The pause between two tries.",
      timeout_seconds: "The maximum time of one try.",
    },
  ),
  Timeouts: object(
    schemas.Timeouts,
    "The maximum time of each stage of a deployment, in seconds.",
    timeoutTexts,
  ),
  Alias: object(schemas.Alias, "A further host name of a project.", {
    domain: "The host name, in lower case.",
    redirect: "Whether it redirects to the project's domain. Otherwise it shows the same. Default: `true`.",
  }),
  Limits: object(
    schemas.Limits,
    "The resources that a build, release or activate command may use, with its processes.",
    limitTexts,
  ),
  DeployOn: object(DeployOn, "Which pushes of the repository are deployed.", deployOnTexts),
  AutomaticSetting: choice(schemas.AutomaticSetting, "A setting with an automatic value.", {
    framework: "the agent detects the framework",
    install_command:
      "the install command is the framework's default, or none if the build command is not automatic",
    build_command: "the build command is the framework's default",
    output_directory: "the output directory is the framework's default",
  }),
  Serving: object(schemas.Serving, "What the server serves, from its agent's last report.", {
    deployment_id: "The deployment's id. `null` if the server serves nothing or an unknown release.",
    commit: "The abbreviated commit hash.",
    checked_at: "When the agent checked.",
    drifted: "Whether the server serves something other than the live deployment.",
  }),
  ProjectRow: object(schemas.ProjectRow, "A project in the list.", rowFields),
  ProjectRows: object(schemas.ProjectRows, "A page of projects.", {
    projects: "The projects of this page, newest first.",
    next_cursor: nextCursor,
  }),
  Project: object(schemas.Project, "A project with its settings.", {
    ...settingFields,
    ...rowFields,
    framework:
      "The framework's identifier: the setting, or the framework detected by the latest deployment; `static` before the first.",
    install_command: "The install command of the next deployment. `null`: nothing is installed.",
    build_command: "The build command of the next deployment. `null`: no build.",
    output_directory: "The output directory of the next deployment.",
    automatic: "The settings with an automatic value: the framework determines the values shown above.",
    suggested_release_command:
      "The release command that the framework usually needs. It is not run unless you set it as the `release_command`. `null` if the framework needs none.",
    app_type:
      "`static`: the output directory is published. `server`: the app answers requests itself, as the process `web` or as its `activate_command` starts it, and its files are published only if the project sets `output_directory`.",
    framework_reasons:
      "Why the latest deployment detected this framework and `app_type`, such as `package.json depends on next`. Empty before the first.",
    url: "The URL at which the server's agent serves the project. Read only. Compare its host with `domain` before you show it as that domain.",
    serving: "What the server serves. `null` until its agent has reported it.",
    detected_processes:
      "The processes that the repository or its framework defines, according to the latest deployment. The project's `processes` win over them.",
    processes_state:
      "The state of what runs, from the last report of the server's agent. `null` if it reported no processes.",
    ingress_problem:
      "Why the server's ingress does not serve the project as it should, such as a missing certificate, as a sentence. `null`: no problem is known.",
    maintenance: "The maintenance of the site. `null`: it is off.",
    ...nested("maintenance", {
      message: "What visitors read. `null`: a general message.",
      started_at: "When it was last turned on, or got another message.",
    }),
    variables_applied:
      "Whether the live deployment runs with the current variables. If not, `POST /v1/projects/{project_id}/apply` applies them. `null` if the project serves nothing.",
    deploy_key:
      "The public key with which the server reads the repository over ssh. `null` until the server has created it: see `GET /v1/projects/{project_id}/deploy-key`.",
    created_at: "When the project was created.",
  }),
  ...repositoryAccessSchemas,
  CreateProjectInput: object(schemas.CreateProjectInput, "The project to create.", {
    ...settingFields,
    domain: "The host name of the site, in lower case. If omitted: `<name>.<base domain>`.",
  }),
  UpdateProjectInput: object(
    schemas.UpdateProjectInput,
    "The settings to change. Omitted fields keep their values.",
    {
      ...settingFields,
      framework: "The framework's identifier, such as `astro`.",
      install_command:
        "The command that installs the dependencies. It is run with `sh -c` in the new release. `null`: none.",
      build_command: "The build command. It is run with `sh -c` in the new release. `null`: no build.",
      output_directory: "The directory with the build output.",
      timeouts: "The maximum time of each stage. Omitted timeouts keep their values.",
      automatic:
        "Settings to make automatic again. A setting that is both listed here and given a value is 422.",
      limits:
        "The resources that a build, release or activate command may use, with its processes. Omitted limits keep their values, and `null` is the server's default.",
      processes:
        "Changes of the project's own settings for its processes. Omitted processes and fields keep their values. `null` instead of a value removes it, and `null` instead of a process removes all of its settings.",
      deploy_on: "Which pushes of the repository are deployed. Omitted fields keep their values.",
      ...nested("timeouts", timeoutTexts),
      ...nested("limits", limitTexts),
      ...nested("deploy_on", deployOnTexts),
    },
  ),
} satisfies Record<string, SchemaText>;
