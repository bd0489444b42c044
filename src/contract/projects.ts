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

const stageSeconds = (byDefault: number) => z.number().min(1).max(86_400).default(byDefault);

/** The longest that each part may take, in seconds. `queue` is how long a start waits for an offline server. */
export const Timeouts = z.strictObject({
  queue_seconds: stageSeconds(900),
  fetch_seconds: stageSeconds(600),
  build_seconds: stageSeconds(600),
  activate_seconds: stageSeconds(60),
  verify_seconds: stageSeconds(60),
});
export type Timeouts = z.infer<typeof Timeouts>;

/** `latest`: a new start cancels those still queued. */
export const QueueMode = z.enum(["all", "latest"]);
export type QueueMode = z.infer<typeof QueueMode>;

/** What a project is made of, besides its id. The same shape creates it and is shown by its single read. */
export const ProjectSettings = z.strictObject({
  name: DisplayName,
  server_id: ServerId,
  repository: Repository,
  branch: BranchName.default("main"),
  framework: Framework.default("static"),
  root_directory: InsidePath.default("."),
  build_command: ShellCommand.nullable().default(null),
  output_directory: InsidePath.default("."),
  activate_command: ShellCommand.nullable().default(null),
  shared_paths: z.array(SharedPath).max(50).default([]),
  keep_releases: z.int().min(2).max(50).default(5),
  health_check: HealthCheck.nullable().default(null),
  timeouts: Timeouts.prefault({}),
  queue: QueueMode.default("all"),
});
export type ProjectSettings = z.infer<typeof ProjectSettings>;

export const CreateProjectInput = ProjectSettings.extend({ domain: Domain.optional() });
export type CreateProjectInput = z.infer<typeof CreateProjectInput>;

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

export const Project = ProjectRow.extend(ProjectSettings.shape).extend({
  repository: z.string(),
  url: z.string().nullable(),
  serving: Serving.nullable(),
  created_at: z.string(),
});
export type Project = z.infer<typeof Project>;

/** Without `limit` all of them: an account holds at most 1,000. */
export const ProjectsQuery = PageQuery;
export const ProjectRows = z.strictObject({
  projects: z.array(ProjectRow),
  next_cursor: NextCursor,
});
export type ProjectRows = z.infer<typeof ProjectRows>;
