import * as z from "zod";

import { BranchName, InsidePath, Repository, SharedPath } from "#contract/git-names.ts";
import { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { NextCursor, PageQuery } from "#contract/paging.ts";

/** Text a person reads, on one line. */
export const DisplayName = z
  .string()
  .min(1)
  .max(100)
  .refine(
    (name) => name.trim() === name && !/\p{Cc}/u.test(name),
    "must be one line without spaces at its ends",
  );

/** A shell command line, run by `sh -c` in the release's root directory. */
export const ShellCommand = z
  .string()
  .min(1)
  .max(8192)
  .refine((command) => !command.includes("\0"), "must not hold a NUL character");

export const Domain = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
    "must be a host name in lower case, such as shop.example.com",
  );

export const Framework = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,39}$/, "must be a framework's identifier, such as static or astro");

/** How to see that a release works. `path` is asked of the site on the server itself, `url` as it stands. */
export const HealthCheck = z
  .strictObject({
    path: z
      .string()
      .max(1024)
      .regex(/^\/[!-~]*$/, "must begin with / and hold no spaces")
      .optional(),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional(),
    status: z.int().min(100).max(599).default(200),
    tries: z.int().min(1).max(60).default(10),
    interval_seconds: z.number().min(0.1).max(60).default(1),
    timeout_seconds: z.number().min(0.1).max(60).default(5),
  })
  .refine((check) => (check.path === undefined) !== (check.url === undefined), "needs either path or url");
export type HealthCheck = z.infer<typeof HealthCheck>;

const stageSeconds = z.number().min(1).max(86_400);
const timeoutSeconds = {
  queue_seconds: stageSeconds,
  fetch_seconds: stageSeconds,
  build_seconds: stageSeconds,
  activate_seconds: stageSeconds,
  verify_seconds: stageSeconds,
};

/** The longest that each part may take, in seconds. `queue` is how long a start waits for an offline server. */
export const Timeouts = z.strictObject({
  queue_seconds: stageSeconds.default(900),
  fetch_seconds: stageSeconds.default(600),
  build_seconds: stageSeconds.default(600),
  activate_seconds: stageSeconds.default(60),
  verify_seconds: stageSeconds.default(60),
});
export type Timeouts = z.infer<typeof Timeouts>;

/** `latest`: a new start cancels those still queued. */
export const QueueMode = z.enum(["all", "latest"]);
export type QueueMode = z.infer<typeof QueueMode>;

/** The settings that a project's framework fills in where they are left out; the framework itself, the agent finds. */
export const AutomaticSetting = z.enum(["framework", "build_command", "output_directory"]);
export type AutomaticSetting = z.infer<typeof AutomaticSetting>;

/** How the files of a commit become what is served. A `build_command` of null is none, whatever the framework. */
export const Preset = z.strictObject({
  framework: Framework,
  build_command: ShellCommand.nullable(),
  output_directory: InsidePath,
});
export type Preset = z.infer<typeof Preset>;

/** As much of it as a project says. What is left out here, the framework's preset fills in. */
export const BuildSettings = Preset.partial();
export type BuildSettings = z.infer<typeof BuildSettings>;

const settings = {
  name: DisplayName,
  server_id: ServerId,
  repository: Repository,
  branch: BranchName,
  ...Preset.shape,
  root_directory: InsidePath,
  activate_command: ShellCommand.nullable(),
  shared_paths: z.array(SharedPath).max(50),
  keep_releases: z.int().min(2).max(50),
  health_check: HealthCheck.nullable(),
  queue: QueueMode,
};

export const CreateProjectInput = z.strictObject({
  ...settings,
  ...BuildSettings.shape,
  domain: Domain.optional(),
  branch: settings.branch.default("main"),
  root_directory: settings.root_directory.default("."),
  activate_command: settings.activate_command.default(null),
  shared_paths: settings.shared_paths.default([]),
  keep_releases: settings.keep_releases.default(5),
  health_check: settings.health_check.default(null),
  timeouts: Timeouts.prefault({}),
  queue: settings.queue.default("all"),
});
export type CreateProjectInput = z.infer<typeof CreateProjectInput>;

/**
 * Any of a project's settings; what is left out stays as it is, also within `timeouts`. A `health_check` takes the
 * place of the whole one before it. The settings named in `automatic` are left to the framework again.
 */
export const UpdateProjectInput = z
  .strictObject({
    ...settings,
    domain: Domain,
    repository: settings.repository.refine(
      (url) => !url.includes(":***@"),
      "holds the stars that stand for a password; send the password itself, or leave the repository out",
    ),
    timeouts: z.strictObject(timeoutSeconds).partial(),
    automatic: z.array(AutomaticSetting).max(AutomaticSetting.options.length),
  })
  .partial()
  .superRefine((input, context) => {
    for (const name of input.automatic ?? [])
      if (input[name] !== undefined)
        context.addIssue({ code: "custom", path: [name], message: "is given and named in automatic" });
  });
export type UpdateProjectInput = z.infer<typeof UpdateProjectInput>;

/** A row of the projects list: exactly the fields of SPEC section 2. */
export const ProjectRow = z.strictObject({
  id: ProjectId,
  name: z.string(),
  framework: z.string(),
  domain: z.string(),
  server_id: ServerId,
  last_deploy: z.string().nullable(),
});
export type ProjectRow = z.infer<typeof ProjectRow>;

/** What the server really serves, as its agent last said. */
export const Serving = z.strictObject({
  deployment_id: DeploymentId.nullable(),
  commit: z.string().nullable(),
  checked_at: z.string(),
  drifted: z.boolean(),
});
export type Serving = z.infer<typeof Serving>;

/**
 * A project with its settings. `framework`, `build_command` and `output_directory` are what counts for the next
 * deployment: the setting, or for those named in `automatic` what the framework's preset says. Of an automatic
 * framework it is the one found by the latest deployment, `static` before the first.
 */
export const Project = ProjectRow.extend(settings).extend({
  repository: z.string(),
  timeouts: Timeouts,
  automatic: z.array(AutomaticSetting),
  url: z.string().nullable(),
  serving: Serving.nullable(),
  created_at: z.string(),
});
export type Project = z.infer<typeof Project>;

/** `purge=true`: also remove the project's files from its server. */
export const DeleteProjectQuery = z.strictObject({
  purge: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .meta({ type: "boolean" })
    .optional(),
});
export type DeleteProjectQuery = z.infer<typeof DeleteProjectQuery>;

/** Without `limit` all of them: an account holds at most 1,000. */
export const ProjectsQuery = PageQuery;
export const ProjectRows = z.strictObject({
  projects: z.array(ProjectRow),
  next_cursor: NextCursor,
});
export type ProjectRows = z.infer<typeof ProjectRows>;
