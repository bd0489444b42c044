import * as z from "zod/mini";

import { listUpTo, numberBetween, textBetween, textLike, textUpTo, wholeBetween } from "#contract/bounds.ts";
import { BranchName, InsidePath, isMasked, Repository, SharedPath } from "#contract/git-names.ts";
import { firstHidden } from "#contract/hidden-text.ts";
import { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { NextCursor, PageQuery } from "#contract/paging.ts";
import { defaultTimeouts } from "#contract/stages.ts";

/** Text a person reads, on one line, and knows a thing by: what cannot be seen would let two names look the same. */
export const DisplayName = textBetween(1, 100).check(
  z.superRefine((name, context) => {
    const hidden = firstHidden(name);
    if (hidden !== null)
      context.addIssue({
        code: "custom",
        message: `must not hold the character ${hidden}, which is invisible or changes the direction of text: remove it`,
      });
  }),
  z.refine(
    (name) => name.trim() === name && !/\p{Cc}/u.test(name),
    "must be one line without spaces at its ends",
  ),
);

/** A shell command line, run by `sh -c` in the release's root directory. */
export const ShellCommand = textBetween(1, 8192).check(
  z.refine((command) => !command.includes("\0"), "must not hold a NUL character"),
);

export const Domain = textUpTo(253).check(
  z.regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
    "must be a host name in lower case, such as shop.example.com",
  ),
);

export const Framework = textLike(
  /^[a-z0-9][a-z0-9.-]{0,39}$/,
  "must be a framework's identifier, such as static or astro",
);

/** How to see that a release works. `path` is asked of the site on the server itself, `url` as it stands. */
export const HealthCheck = z
  .strictObject({
    path: z.optional(textUpTo(1024).check(z.regex(/^\/[!-~]*$/, "must begin with / and hold no spaces"))),
    url: z.optional(z.url({ protocol: /^https?$/ }).check(z.maxLength(2048))),
    status: z._default(wholeBetween(100, 599), 200),
    tries: z._default(wholeBetween(1, 60), 10),
    interval_seconds: z._default(numberBetween(0.1, 60), 1),
    timeout_seconds: z._default(numberBetween(0.1, 60), 5),
  })
  .check(
    z.refine((check) => (check.path === undefined) !== (check.url === undefined), "needs either path or url"),
  );
export type HealthCheck = z.infer<typeof HealthCheck>;

const stageSeconds = numberBetween(1, 86_400);

/** The maximum time of each stage, in seconds, and the maximum wait for an offline server. */
export const Timeouts = z.strictObject(
  mapValues(defaultTimeouts, (seconds) => z._default(stageSeconds, seconds)),
);
export type Timeouts = z.infer<typeof Timeouts>;

/** `latest`: a new start cancels those still queued. */
export const QueueMode = z.enum(["all", "latest"]);
export type QueueMode = z.infer<typeof QueueMode>;

/**
 * Which commits can be deployed by their hash. `reachable`: those that a branch or tag contains; `any`: also those that the
 * repository's server hands out besides, such as those of pull requests and, on many forges, of forks; `none`: none.
 */
export const CommitRule = z.enum(["reachable", "any", "none"]);
export type CommitRule = z.infer<typeof CommitRule>;

/** The settings that a project's framework fills in where they are left out; the framework itself, the agent finds. */
export const AutomaticSetting = z.enum(["framework", "build_command", "output_directory"]);
export type AutomaticSetting = z.infer<typeof AutomaticSetting>;

/** How the files of a commit become what is served. A `build_command` of null is none, whatever the framework. */
export const Preset = z.strictObject({
  framework: Framework,
  build_command: z.nullable(ShellCommand),
  output_directory: InsidePath,
});
export type Preset = z.infer<typeof Preset>;

/** As much of it as a project says. What is left out here, the framework's preset fills in. */
export const BuildSettings = z.partial(Preset);
export type BuildSettings = z.infer<typeof BuildSettings>;

const settings = {
  name: DisplayName,
  server_id: ServerId,
  repository: Repository,
  branch: BranchName,
  commits: CommitRule,
  ...Preset.shape,
  root_directory: InsidePath,
  activate_command: z.nullable(ShellCommand),
  shared_paths: listUpTo(SharedPath, 50),
  keep_releases: wholeBetween(2, 50),
  health_check: z.nullable(HealthCheck),
  queue: QueueMode,
};

/**
 * The agent cannot link a path inside of what is a link already; and an outer one that comes later would take the place
 * of what the release has beside the inner one. The same path twice does no harm.
 */
const ApartPaths = settings.shared_paths.check(
  z.superRefine((paths, context) => {
    for (const [at, path] of paths.entries()) {
      const other = paths.slice(0, at).find((one) => isInside(path, one) || isInside(one, path));
      if (other !== undefined)
        context.addIssue({
          code: "custom",
          path: [at],
          message: `overlaps with ${other}: of two paths one inside the other, give only the outer one`,
        });
    }
  }),
);

function isInside(path: string, outer: string): boolean {
  return path.startsWith(`${outer}/`);
}

export const CreateProjectInput = z.strictObject({
  ...settings,
  ...BuildSettings.shape,
  domain: z.optional(Domain),
  branch: z._default(settings.branch, "main"),
  commits: z._default(settings.commits, "reachable"),
  root_directory: z._default(settings.root_directory, "."),
  activate_command: z._default(settings.activate_command, null),
  shared_paths: z._default(ApartPaths, []),
  keep_releases: z._default(settings.keep_releases, 5),
  health_check: z._default(settings.health_check, null),
  timeouts: z.prefault(Timeouts, {}),
  queue: z._default(settings.queue, "all"),
});
export type CreateProjectInput = z.infer<typeof CreateProjectInput>;

const STARS =
  "holds the stars that stand for a password or a query value; send the value itself, or leave the setting out";

const AllSettings = z.strictObject({
  ...settings,
  domain: Domain,
  repository: settings.repository.check(z.refine((url) => !isMasked(url), STARS)),
  shared_paths: ApartPaths,
  health_check: settings.health_check.check(
    z.refine((check) => !isMasked(check?.url ?? ""), { path: ["url"], message: STARS }),
    z.refine((check) => !isMasked(check?.path ?? ""), { path: ["path"], message: STARS }),
  ),
  timeouts: z.partial(z.strictObject(mapValues(defaultTimeouts, () => stageSeconds))),
  automatic: listUpTo(AutomaticSetting, AutomaticSetting.options.length),
});

/**
 * Any of a project's settings; what is left out stays as it is, also within `timeouts`. A `health_check` takes the
 * place of the whole one before it. The settings named in `automatic` are left to the framework again.
 */
export const UpdateProjectInput = z.partial(AllSettings).check(
  z.superRefine((input, context) => {
    for (const name of input.automatic ?? [])
      if (input[name] !== undefined)
        context.addIssue({ code: "custom", path: [name], message: "is given and named in automatic" });
  }),
);
export type UpdateProjectInput = z.infer<typeof UpdateProjectInput>;

/** A row of the projects list. Its fields were agreed on: it gets no others. */
export const ProjectRow = z.strictObject({
  id: ProjectId,
  name: z.string(),
  framework: z.string(),
  domain: z.string(),
  server_id: ServerId,
  last_deploy: z.nullable(z.string()),
});
export type ProjectRow = z.infer<typeof ProjectRow>;

/** What the server really serves, as its agent last said. */
export const Serving = z.strictObject({
  deployment_id: z.nullable(DeploymentId),
  commit: z.nullable(z.string()),
  checked_at: z.string(),
  drifted: z.boolean(),
});
export type Serving = z.infer<typeof Serving>;

/**
 * A project with its settings. `framework`, `build_command` and `output_directory` are what counts for the next
 * deployment: the setting, or for those named in `automatic` what the framework's preset says. Of an automatic
 * framework it is the one found by the latest deployment, `static` before the first.
 */
export const Project = z.extend(z.extend(ProjectRow, settings), {
  // As it is stored, which may be from before a rule for names.
  name: z.string(),
  repository: z.string(),
  timeouts: Timeouts,
  automatic: z.array(AutomaticSetting),
  url: z.nullable(z.string()),
  serving: z.nullable(Serving),
  created_at: z.string(),
});
export type Project = z.infer<typeof Project>;

/** A yes or no in a query string. */
const QueryFlag = z
  .pipe(
    z.enum(["true", "false"]),
    z.transform((text) => text === "true"),
  )
  .check(z.meta({ type: "boolean" }));

/** `purge=true`: also remove the project's files from its server. */
export const DeleteProjectQuery = z.strictObject({
  purge: z.optional(QueryFlag),
});
export type DeleteProjectQuery = z.infer<typeof DeleteProjectQuery>;

/** Without `limit` all of them: an account holds at most 1,000. */
export const ProjectsQuery = PageQuery;
export const ProjectRows = z.strictObject({
  projects: z.array(ProjectRow),
  next_cursor: NextCursor,
});
export type ProjectRows = z.infer<typeof ProjectRows>;
