import * as inputs from "#contract/endpoints/projects/project-inputs.ts";
import { HealthReason, ProjectHealth } from "#contract/endpoints/projects/health.ts";
import {
  RepositoryDefinitions,
  SourcedCommand,
} from "#contract/endpoints/projects/repository-definitions.ts";
import { repositoryAccessSchemas } from "#contract/endpoints/projects/repository-access-texts.ts";
import * as schemas from "#contract/endpoints/projects/schemas.ts";
import {
  deployOnTexts,
  limitTexts,
  rolloutTexts,
  settingSchemas,
  settingTexts,
} from "#contract/endpoints/projects/setting-texts.ts";
import { CommandSource } from "#contract/processes/command-source.ts";
import {
  choice,
  nested,
  nextCursor,
  object,
  type SchemaText,
} from "#contract/reference/schemas/schema-text.ts";
import { timeoutTexts } from "#contract/reference/stage-texts.ts";

const rowFields = {
  id: "The project's id.",
  name: settingTexts.name,
  framework: settingTexts.framework,
  domain: settingTexts.domain,
  server_id: settingTexts.server_id,
  last_deploy: "When the latest deployment was requested. `null` before the first.",
};

export const projectSchemas = {
  ...settingSchemas,
  Serving: object(schemas.Serving, "What the server serves, from its agent's last report.", {
    deployment_id: "The deployment's id. `null` if the server serves nothing or an unknown release.",
    version: "The deployment's version.",
    commit: "The abbreviated commit hash.",
    checked_at: "When the agent checked.",
    drifted: "Whether the server serves something other than the live deployment.",
  }),
  ServerState: object(schemas.ServerState, "What one of several servers of a project serves.", {
    id: "The server's id.",
    name: "The server's name.",
    status:
      "`live`: it serves the live deployment. `ahead`: it serves the deployment that is running, which other servers get next. `behind`: it serves something else, and gets the live deployment as soon as it can. `unknown`: it is not connected; the other fields are what it reported last. `none`: nothing is live.",
    version: "The version of the deployment that it serves. `null`: nothing, or not known.",
    checked_at: "When its agent reported it. `null`: never.",
    url: "The URL at which it serves the project. `null` if it does not.",
    processes_state: "The state of what runs on it. `null` if it reported no processes.",
    ingress_problem: "Why its ingress does not serve the project as it should. `null`: no problem is known.",
    health: "Whether all of the project works on it.",
    deploy_key:
      "The public key with which it reads the repository over ssh. Each server has a key of its own.",
  }),
  BalanceState: object(
    schemas.BalanceState,
    "Whether a server does its part for the traffic of a project behind a balancer of Gantry.",
    {
      id: "The server's id.",
      name: "The server's name.",
      role: "`balancer`: visitors reach it. `server`: it takes requests of the balancers. A server that is both is in the list twice.",
      status:
        "`ok`: it is set up. `pending`: it has not answered yet. `problem`: it is not set up. `unknown`: it is not connected, and works as it was set up last.",
      problem: "Why it is not set up, as a sentence. `null`: no problem is known.",
      out: "The ids of the servers that this balancer has taken out, because they do not answer. Empty for the role `server`.",
    },
  ),
  HealthReason: object(HealthReason, "Why a project is degraded.", {
    type: "`process`: fewer instances run than should. `cron`: the last run of a cron job failed. `certificate`: a certificate expires soon and could not be renewed. `ingress`: the ingress does not serve the project as it should.",
    name: "The name of the process or of the job, or the domain of the certificate. `null` for `ingress`.",
    summary: "A few words, such as `worker 0 of 1`.",
    detail: "What is known besides, such as how the process ended last. `null`: nothing.",
    running: "How many instances of the process run. `null` for other types.",
    desired: "How many instances of the process should run. `null` for other types.",
    run: "The number of the job's run that failed first since it last succeeded. `null` for other types.",
  }),
  ProjectHealth: object(ProjectHealth, "Whether all of a project works.", {
    state:
      "`ok`: no problem is known. `degraded`: something does not work; `reasons` says what. `unknown`: the server has not reported it yet, or is not connected; `reasons` is what it reported last.",
    reasons: "What does not work. Empty if no problem is known.",
  }),
  RepositoryDefinitions: object(
    RepositoryDefinitions,
    "What the repository defines about how the project runs, and in which file.",
    {
      release_command:
        "The release command of the repository. It runs unless the project has one. `null`: none.",
      processes: "Where the command of each process is from.",
      cron: "The cron jobs of gantry.json. A job of the project with the same name takes precedence.",
    },
  ),
  SourcedCommand: object(SourcedCommand, "A command that the repository defines.", {
    command: "The command.",
    from: "The file that it is in.",
  }),
  CommandSource: choice(CommandSource, "Where a command is from that the project does not set.", {
    "gantry.json": "gantry.json in the repository",
    Procfile: "the Procfile in the repository",
    preset: "the preset of the framework",
  }),
  ProjectRow: object(schemas.ProjectRow, "A project in the list.", rowFields),
  ProjectRows: object(schemas.ProjectRows, "A page of projects.", {
    projects: "The projects of this page, newest first.",
    health: "The health of the projects of this page, by their ids.",
    next_cursor: nextCursor,
  }),
  Project: object(schemas.Project, "A project with its settings.", {
    ...settingTexts,
    ...rowFields,
    framework:
      "The framework's identifier: the setting, or the framework detected by the latest deployment; `static` before the first.",
    install_command: "The install command of the next deployment. `null`: nothing is installed.",
    build_command: "The build command of the next deployment. `null`: no build.",
    output_directory: "The output directory of the next deployment.",
    trailing_slash: "How the pages of a static site are addressed in the next deployment.",
    fallback:
      "The file that answers for paths without a file in the next deployment; `null`: none. If it is automatic, a file `200.html` of the build counts before it.",
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
      "The processes that the repository or its framework defines, according to the latest deployment. The project's `processes` take precedence over them.",
    repository_definitions:
      "What the repository defines, according to the latest deployment, and in which file. The project's own settings take precedence over it.",
    processes_state:
      "The state of what runs, from the last report of the server's agent. `null` if it reported no processes.",
    ingress_problem:
      "Why the server's ingress does not serve the project as it should, such as a missing certificate, as a sentence. `null`: no problem is known.",
    health: "Whether all of the project works, from the last report of the server's agent.",
    maintenance: "The maintenance of the site. `null`: it is off.",
    ...nested("maintenance", {
      message: "What visitors read. `null`: a general message.",
      started_at: "When it was last turned on, or got another message.",
    }),
    variables_applied:
      "Whether the live deployment runs with the current variables. If not, `POST /v1/projects/{project_id}/apply` applies them. `null` if the project serves nothing.",
    deploy_key:
      "The public key with which the server reads the repository over ssh. `null` until the server has created it: see `GET /v1/projects/{project_id}/deploy-key`.",
    servers_state:
      "What each server serves, in the order of `servers`. Empty for a project with one server, whose state is in the other fields. With several, these fields are about the first one.",
    balance_state:
      "Whether the balancers and the servers behind them are set up. Empty unless the entry is `balancer`.",
    created_at: "When the project was created.",
  }),
  ...repositoryAccessSchemas,
  CreateProjectInput: object(inputs.CreateProjectInput, "The project to create.", {
    ...settingTexts,
    server_id: "The id of the project's server. Of several, the first of `servers`.",
    domain: "The host name of the site, in lower case. If omitted: `<name>.<base domain>`.",
  }),
  UpdateProjectInput: object(
    inputs.UpdateProjectInput,
    "The settings to change. Omitted fields keep their values.",
    {
      ...settingTexts,
      framework: "The framework's identifier, such as `astro`.",
      install_command:
        "The command that installs the dependencies. It is run with `sh -c` in the new release. `null`: none.",
      build_command: "The build command. It is run with `sh -c` in the new release. `null`: no build.",
      output_directory: "The directory with the build output.",
      trailing_slash: "How the pages of a static site are addressed.",
      fallback:
        "The file that answers for paths without a file; `null`: none. A file `200.html` of the build counts before it.",
      timeouts: "The maximum time of each stage. Omitted timeouts keep their values.",
      automatic:
        "Settings to make automatic again. A setting that is both listed here and given a value is 422.",
      limits:
        "The resources that a build, release or activate command may use, with its processes. Omitted limits keep their values, and `null` is the server's default.",
      processes:
        "Changes of the project's own settings for its processes. Omitted processes and fields keep their values. `null` instead of a value removes it, and `null` instead of a process removes all of its settings.",
      deploy_on: "Which pushes of the repository are deployed. Omitted fields keep their values.",
      server_id:
        "The id of another server: moves a project with one server. Of a project with several, change `servers`.",
      servers:
        "The servers of the project, which replace all earlier ones. The next deployment goes to them.",
      rollout: "How a deployment gets to the `servers`. Omitted fields keep their values.",
      ...nested("rollout", rolloutTexts),
      entry: "How visitors reach the servers, which replaces the setting as a whole. It counts at once.",
      ...nested("timeouts", timeoutTexts),
      ...nested("limits", limitTexts),
      ...nested("deploy_on", deployOnTexts),
    },
  ),
} satisfies Record<string, SchemaText>;
