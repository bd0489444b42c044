import {
  AutomaticSetting,
  CommitRule,
  CreateProjectInput,
  HealthCheck,
  Project,
  ProjectRow,
  ProjectRows,
  QueueMode,
  Serving,
  Timeouts,
  UpdateProjectInput,
} from "#contract/endpoints/projects/schemas.ts";
import { choice, nested, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { timeoutTexts } from "#contract/reference/stage-texts.ts";
import { nextCursor } from "#contract/reference/schemas/shared.ts";

const settingFields = {
  name: "What people call it, on one line, without invisible characters and ones that change the direction of text.",
  server_id: "The server that it runs on.",
  repository:
    "Where git fetches it from: an https or ssh URL, `user@host:path`, `file:///path`, or an absolute path on the server.",
  branch: "The branch that is deployed where a start names none.",
  commits: "Which commits can be deployed by their hash.",
  framework: "The framework's identifier, such as `astro`. Left out: the agent finds it.",
  domain: "Its host name, in lower case.",
  root_directory: "The folder of the repository that it is built in, for a repository of several projects.",
  build_command:
    "What builds it: a command line for `sh -c`, run in the new release. `null`: nothing is built. Left out: what its framework usually takes.",
  output_directory: "The folder that the build leaves the site in. Left out: where its framework puts it.",
  activate_command:
    "What makes a release take effect, such as a restart of a service; run after the switch, and once more after a switch back.",
  shared_paths:
    "Paths that outlive releases, such as `storage` or `.env`: each is a link to one shared place, which the build sees as well. One that is not there yet begins as the release's own; else one with a dot in its name stays missing until somebody writes it, and any other begins as an empty folder. None may lie inside another.",
  keep_releases: "How many releases that were live stay on the server for rollbacks.",
  health_check: "How to see that a release works. `null`: the switch alone decides.",
  timeouts: "How long each part may take.",
  queue: "What a new start does to those that wait.",
};

const rowFields = {
  id: "The project's id.",
  name: settingFields.name,
  framework: settingFields.framework,
  domain: settingFields.domain,
  server_id: settingFields.server_id,
  last_deploy: "When its latest deployment was asked for; `null` before the first.",
};

export const projectSchemas = {
  CommitRule: choice(CommitRule, "Which commits can be deployed by their hash.", {
    reachable: "those that a branch or tag of the repository contains",
    any: "also those that its server hands out besides: of pull requests and, on many forges, of forks",
    none: "none: only branches and tags are deployed",
  }),
  QueueMode: choice(QueueMode, "What a new start does to those that wait.", {
    all: "nothing: each is deployed in its turn",
    latest: "it cancels them, so that only the newest is deployed",
  }),
  HealthCheck: object(HealthCheck, "How to see that a release works: give either `path` or `url`.", {
    path: "A path that is asked of the site itself, on its server.",
    url: "An address that is asked from the server, as it stands.",
    status: "The HTTP status that means well.",
    tries: "How often it is asked before the release has failed.",
    interval_seconds: "The pause between two tries.",
    timeout_seconds: "How long one try may take.",
  }),
  Timeouts: object(
    Timeouts,
    "The longest that each part of a deployment may take, in seconds.",
    timeoutTexts,
  ),
  AutomaticSetting: choice(AutomaticSetting, "A setting that is left to the framework.", {
    framework: "the framework itself is found by the agent",
    build_command: "built as the framework usually is",
    output_directory: "taken from where the framework puts it",
  }),
  Serving: object(Serving, "What the server really serves, as its agent last said.", {
    deployment_id: "The deployment; `null` if the server serves nothing, or what Gantry does not know.",
    commit: "Its commit's hash, abbreviated.",
    checked_at: "When the agent looked.",
    drifted: "Whether that is something else than what Gantry made live.",
  }),
  ProjectRow: object(ProjectRow, "A project as the list shows it.", rowFields),
  ProjectRows: object(ProjectRows, "A page of projects.", {
    projects: "The page's projects, the newest first.",
    next_cursor: nextCursor,
  }),
  Project: object(Project, "A project with its settings.", {
    ...settingFields,
    ...rowFields,
    framework:
      "The framework's identifier: the setting, or what the latest deployment found; `static` before the first.",
    build_command: "What the next deployment is built with; `null`: nothing is built.",
    output_directory: "The folder that the next build is expected to leave the site in.",
    automatic: "The settings that are left to the framework: their values above are what it says.",
    url: "Where its server's agent says that it serves it; read only. Compare its host with `domain` before you show it under that name.",
    serving: "What the server really serves; `null` until its agent has said so.",
    created_at: "When it was created.",
  }),
  CreateProjectInput: object(CreateProjectInput, "A new project.", {
    ...settingFields,
    domain: "Its host name, in lower case. Left out: `<name>.<base domain>`.",
  }),
  UpdateProjectInput: object(
    UpdateProjectInput,
    "What changes in a project; what is left out stays as it is.",
    {
      ...settingFields,
      framework: "The framework's identifier, such as `astro`.",
      build_command:
        "What builds it: a command line for `sh -c`, run in the new release. `null`: nothing is built.",
      output_directory: "The folder that the build leaves the site in.",
      timeouts: "How long each part may take; of these, too, what is left out stays as it is.",
      automatic: "The settings that are left to the framework again. Naming one here and setting it is 422.",
      ...nested("timeouts", timeoutTexts),
    },
  ),
} satisfies Record<string, SchemaText>;
