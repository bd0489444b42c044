import { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import type { SettingName } from "#contract/endpoints/projects/project-settings.ts";
import { Entry } from "#contract/endpoints/projects/entry.ts";
import { ProjectServer, Rollout } from "#contract/endpoints/projects/servers.ts";
import * as settings from "#contract/endpoints/projects/settings.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { timeoutTexts } from "#contract/reference/stage-texts.ts";

/** What each setting of a project means, for the objects that contain it. */
export const settingTexts = {
  name: "A name for people, on one line, without invisible characters or characters that change the text direction.",
  server_id: "The id of the project's server. Of several, the first of `servers`.",
  servers:
    "The servers of the project, in the order in which they switch to a release. The first one is `server_id`: one-off commands run there, and it looks for pushes. If omitted: only `server_id`.",
  rollout:
    "How a deployment gets to the `servers`. No server switches before all have built the release and are ready. Without effect on a project with one server.",
  entry:
    "How visitors reach the servers. It counts at once, also for a change of `domain` and `aliases` behind a balancer of Gantry.",
  build_on:
    "The id of the server that builds for all servers of the project. They take its build, if their platform is the same, and otherwise build for themselves. It can be a server on which the project does not run. `null`: each server builds for itself.",
  artifact_uploads:
    "Whether a deployment can bring a build that was made elsewhere, such as in CI. Its files are not compared with the repository: anyone who can deploy then chooses what runs.",
  repository:
    "The git repository: an https or ssh URL, `user@host:path`, `file:///path`, or an absolute path on the server. On a server that isolates projects, its policy must name a repository on the server itself. Or a repository of images, `docker://HOST/NAME`, whose tags are its branches and whose digests are its commits.",
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
  trailing_slash:
    "How the pages of a static site are addressed. Part of a release: a change counts from the next deployment on. If omitted: as the preset says, usually `auto`.",
  fallback:
    "The file of a single-page app that answers for paths without a file, with status 200, relative to the output directory. Requests for names with an extension, in `.well-known`, or that do not accept HTML stay missing. `null`: none. If omitted: `200.html` if the build creates it, and otherwise the framework's default. Part of a release: a change counts from the next deployment on.",
  dockerfile:
    "The Dockerfile from which a project with the framework `dockerfile` is built. Setting it chooses this framework, unless a `framework` is set. `null`: `Dockerfile` in the root directory, if the framework is `dockerfile`.",
  release_command:
    "The command that runs once in each new release before the server switches to it, such as a database migration, with all variables and secrets. It runs while the earlier release still serves, so a migration must work with its code too. If it fails, nothing is switched. A rollback does not run it. `null`: none.",
  activate_command:
    "The command that puts a release into effect, for an app that is not started as one of the `processes`. It is run after the switch to a release, and again after a switch back. With it, the processes of a preset and of a Procfile do not count.",
  shared_paths:
    "Paths that all releases share, such as `storage` or `.env`. In each release, the path is a symbolic link to the same shared location, also during the build. If the shared location does not exist yet, it starts with the content of the path in the release. If the release has no such path either, a path without a dot in its name starts as an empty directory, and any other path stays missing until someone creates it. A path cannot be inside another one.",
  keep_releases: "The number of releases that the server keeps for rollbacks.",
  asset_overlap:
    "How long files of earlier releases stay reachable whose names have a hash of their content, in seconds: a browser with an older page loads them. 0: not at all. Never longer than for the last 20 releases.",
  health_check:
    "How to check that a release works. A `path` is requested from each new instance of `web` before the switch too. `null`: no check after the switch, and a new instance must only accept connections. A password or query value in its address is not sealed: the control plane stores it, and shows it as `***`.",
  limits:
    "The resources that a build, release or activate command may use, with its processes. The server's policy may be stricter. Without effect on a server that does not isolate projects.",
  timeouts: "The maximum time of each stage.",
  queue: "What a new deployment does to the deployments in the queue.",
  approval: "Whether deployments wait for an approval. Rollbacks do not.",
  processes:
    "The project's own settings for its processes, by name. They take precedence over the repository's processes, field by field.",
  drain_seconds: "How long replaced instances may finish their requests before they are stopped.",
  aliases: "Further host names of the site.",
  deploy_on: "Which pushes of the repository are deployed.",
  cron: "The project's own cron jobs. They take precedence over jobs of gantry.json with the same name. The server's policy must allow them.",
} satisfies Readonly<Record<SettingName, string>>;

/** The fields of `Limits`. */
export const limitTexts = {
  memory_mb:
    "The memory in MiB. A command that needs more is killed, and the deployment fails. If omitted: three quarters of the server's memory for a build or release command, and no limit for an activate command.",
  cpu_weight:
    "The share of the CPU relative to others, which have 100. If omitted: 50 for a build or release command, 100 for an activate command.",
  tasks: "The number of processes and threads. If omitted: 4096.",
};

/** The fields of a project's server. */
export const serverTexts = {
  id: "The server's id.",
  processes:
    "The processes that run on it. `null`: all. A server without `web` in its list does not serve the domain.",
  cron: "Whether the cron jobs run on it. They run on one server. If no server has `true`, that is the first.",
};

/** The fields of `Rollout`. */
export const rolloutTexts = {
  order:
    "`rolling`: the servers switch in batches, and a batch begins when the batch before it is live. `at_once`: all at the same time.",
  batch: "How many servers switch at the same time, if `order` is `rolling`.",
  pause_seconds: "How long to wait between two batches.",
  canary: "How many servers switch first, before the batches. `null`: no other number than `batch`.",
  "canary.size": "The number of servers.",
  "canary.approval":
    "Whether the other servers wait for an approval, for an hour. Without one, the deployment is canceled, and the servers that have switched go back. A rollback, an emergency and a change of settings do not wait.",
  on_failure:
    "What happens if a server fails after another one has switched. `revert`: all go back to what they served. `stop`: servers that have switched stay, the others keep what they serve, and the deployment fails. `continue`: the others switch too, if at least `min` can; the server that failed gets the release later.",
  offline:
    "What happens to a server that is not connected. `wait`: the deployment waits for it, as long as for a single server, and then fails. `skip`: it is left out while `min` servers remain, and gets the release later.",
  min: "The least number of servers that must switch, for `skip` and `continue`.",
};

/** The fields of `Entry`. */
export const entryTexts = {
  type: "`each`: each server answers for the domain, and the DNS records lead to all of them. `balancer`: the ingress of `balancers` answers for it, and sends requests to the servers. `own`: a load balancer answers for it that is not Gantry's, so the servers issue no certificates.",
  balancers:
    "The ids of the servers whose ingress stands in front of the others, for `balancer`: one or two. They can serve the project too.",
  sticky:
    "Whether a balancer sends a visitor to the same server again, by a cookie, while that server takes requests.",
};

/** The fields of `DeployOn`. */
export const deployOnTexts = {
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

export const settingSchemas = {
  CommitRule: choice(settings.CommitRule, "Which commits can be deployed by their hash.", {
    reachable: "commits that a branch or tag of the repository contains",
    any: "every commit that the git server provides, including commits of pull requests and, on many git hosts, of forks",
    none: "none; only branches and tags can be deployed",
  }),
  QueueMode: choice(settings.QueueMode, "What a new deployment does to the deployments in the queue.", {
    all: "nothing; each deployment runs in turn",
    latest: "it cancels them, so that only the newest runs",
  }),
  TrailingSlash: choice(settings.TrailingSlash, "How the pages of a static site are addressed.", {
    auto: "`about.html` as `/about`, and `about/index.html` as `/about/`; other spellings redirect (308)",
    always: "with a slash at the end; other spellings redirect (308)",
    never: "without a slash at the end; other spellings redirect (308)",
    ignore: "each spelling shows the page",
  }),
  ApprovalRule: choice(ApprovalRule, "Whether deployments wait for an approval.", {
    none: "they do not",
    required: "they wait until a token with `deployments:approve` approves them",
    by_another: "the same, and who started the deployment cannot approve it, also with another token",
    by_another_person: "the same, and only a member can approve it: in a session or with a personal token",
  }),
  HealthCheck: object(
    settings.HealthCheck,
    "How to check that a release works. Send either `path` or `url`.",
    {
      path: "A path to request from the site, on the server itself. If omitted: `url` is requested.",
      url: "A URL to request from the server, without a user name or password. If omitted: `path` is requested.",
      status: "The expected HTTP status.",
      tries: "How many times the check is tried before the release fails.",
      interval_seconds: "The pause between two tries.",
      timeout_seconds: "The maximum time of one try.",
    },
  ),
  Dockerfile: object(settings.Dockerfile, "The Dockerfile from which the image of a project is built.", {
    path: "The path of the Dockerfile, relative to the root directory of the project. Default: `Dockerfile`.",
    context:
      "The directory whose files the instructions can copy, relative to the root directory of the project. Default: `.`, the root directory.",
    target: "The name or the number of the stage that becomes the image. If omitted: the last stage.",
  }),
  Timeouts: object(
    settings.Timeouts,
    "The maximum time of each stage of a deployment, in seconds.",
    timeoutTexts,
  ),
  Alias: object(settings.Alias, "A further host name of a project.", {
    domain: "The host name, in lower case.",
    redirect: "Whether it redirects to the project's domain. Otherwise it shows the same. Default: `true`.",
  }),
  Limits: object(
    settings.Limits,
    "The resources that a build, release or activate command may use, with its processes.",
    limitTexts,
  ),
  DeployOn: object(DeployOn, "Which pushes of the repository are deployed.", deployOnTexts),
  ProjectServer: object(ProjectServer, "A server of a project.", serverTexts),
  Entry: object(Entry, "How visitors reach the servers of a project.", entryTexts),
  Rollout: object(Rollout, "How a deployment gets to the servers of a project.", rolloutTexts),
  AutomaticSetting: choice(settings.AutomaticSetting, "A setting with an automatic value.", {
    framework: "the agent detects the framework",
    install_command:
      "the install command is the framework's default, or none if the build command is not automatic",
    build_command: "the build command is the framework's default",
    output_directory: "the output directory is the framework's default",
    trailing_slash: "`auto`",
    fallback: "the fallback is `200.html` if the build creates it, and otherwise the framework's default",
  }),
} satisfies Record<string, SchemaText>;
