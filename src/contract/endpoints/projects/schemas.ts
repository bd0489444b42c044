import * as z from "zod/mini";

import { listUpTo, wholeBetween } from "#contract/bounds.ts";
import {
  BranchName,
  InsidePath,
  isMasked,
  ProjectRepository,
  RequestedBranch,
  RequestedPath,
  RequestedSharedPath,
  SharedPath,
} from "#contract/git-names.ts";
import { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import { CronJobs } from "#contract/endpoints/cron/job-schemas.ts";
import {
  AllProcessSettings,
  DEFAULT_DRAIN_SECONDS,
  DrainSeconds,
  ProcessChanges,
  ProcessDefinitions,
  ProcessesState,
} from "#contract/endpoints/processes/schemas.ts";
import { DeployOn, DeployOnChanges } from "#contract/endpoints/projects/deploy-on.ts";
import { hasUsefulPatterns } from "#contract/endpoints/projects/push-patterns.ts";
import { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import { RepositoryDefinitions } from "#contract/endpoints/projects/repository-definitions.ts";
import { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import {
  Alias,
  AppType,
  AssetOverlap,
  AutomaticSetting,
  BuildSettings,
  CommitRule,
  DEFAULT_ASSET_OVERLAP,
  DisplayName,
  Domain,
  HealthCheck,
  limitRanges,
  Limits,
  MAX_ALIASES,
  Preset,
  QueueMode,
  stageSeconds,
  Timeouts,
} from "#contract/endpoints/projects/settings.ts";
import { Maintenance } from "#contract/endpoints/traffic/schemas.ts";
import { NextCursor } from "#contract/paging.ts";
import { ShellCommand } from "#contract/shell-command.ts";
import { defaultTimeouts } from "#contract/stages.ts";

const settings = {
  name: DisplayName,
  server_id: ServerId,
  repository: ProjectRepository,
  branch: BranchName,
  commits: CommitRule,
  ...Preset.shape,
  root_directory: InsidePath,
  release_command: z.nullable(ShellCommand),
  activate_command: z.nullable(ShellCommand),
  shared_paths: listUpTo(SharedPath, 50),
  keep_releases: wholeBetween(2, 50),
  asset_overlap: AssetOverlap,
  health_check: z.nullable(HealthCheck),
  limits: Limits,
  queue: QueueMode,
  approval: ApprovalRule,
  processes: AllProcessSettings,
  drain_seconds: DrainSeconds,
  aliases: listUpTo(Alias, MAX_ALIASES),
  cron: CronJobs,
  deploy_on: DeployOn,
};

/**
 * Refuses paths inside each other. The agent cannot create a link inside a linked path, and a later link for the outer
 * path would hide the release's other files in it. The same path twice is harmless.
 */
const ApartPaths = listUpTo(RequestedSharedPath, 50).check(
  z.superRefine((paths, context) => {
    for (const [at, path] of paths.entries()) {
      const other = paths.slice(0, at).find((one) => isInside(path, one) || isInside(one, path));
      if (other !== undefined)
        context.addIssue({
          code: "custom",
          path: [at],
          message: `overlaps with ${other}: send only the outer path`,
        });
    }
  }),
);

function isInside(path: string, outer: string): boolean {
  return path.startsWith(`${outer}/`);
}

/** What is no domain at all is refused by its schema. */
function isOneWord(name: string): boolean {
  return Domain.safeParse(name).success && !name.includes(".") && name !== "localhost";
}

/**
 * Refuses an alias that occurs twice, or that is the project's domain, and names of one word: nobody can own one, so it
 * gets no certificate, and is usually half of a name. `localhost` leads to this machine.
 */
const hasUsefulDomains = z.superRefine<{
  readonly domain?: string | undefined;
  readonly aliases?: readonly Alias[] | undefined;
}>(({ domain, aliases = [] }, context) => {
  const names = [domain, ...aliases.map((alias) => alias.domain)];
  for (const [at, name] of names.entries())
    if (name !== undefined && names.indexOf(name) !== at)
      context.addIssue({
        code: "custom",
        path: ["aliases", at - 1, "domain"],
        message: "is named twice",
      });
  for (const [at, name] of names.entries())
    if (name !== undefined && isOneWord(name))
      context.addIssue({
        code: "custom",
        path: at === 0 ? ["domain"] : ["aliases", at - 1, "domain"],
        message: `is only one word: write it with its ending, such as ${name}.example.com`,
      });
});

export const CreateProjectInput = z
  .strictObject({
    ...settings,
    ...BuildSettings.shape,
    domain: z.optional(Domain),
    branch: z._default(RequestedBranch, "main"),
    commits: z._default(settings.commits, "reachable"),
    root_directory: z._default(RequestedPath, "."),
    output_directory: z.optional(RequestedPath),
    release_command: z._default(settings.release_command, null),
    activate_command: z._default(settings.activate_command, null),
    shared_paths: z._default(ApartPaths, []),
    keep_releases: z._default(settings.keep_releases, 5),
    asset_overlap: z._default(settings.asset_overlap, DEFAULT_ASSET_OVERLAP),
    health_check: z._default(settings.health_check, null),
    limits: z._default(settings.limits, {}),
    timeouts: z.prefault(Timeouts, {}),
    queue: z._default(settings.queue, "all"),
    approval: z._default(settings.approval, "none"),
    processes: z._default(settings.processes, {}),
    drain_seconds: z._default(settings.drain_seconds, DEFAULT_DRAIN_SECONDS),
    aliases: z._default(settings.aliases, []),
    cron: z._default(settings.cron, []),
    deploy_on: z.prefault(settings.deploy_on, {}),
  })
  .check(hasUsefulDomains, hasUsefulPatterns);
export type CreateProjectInput = z.infer<typeof CreateProjectInput>;

const STARS =
  "contains ***, which replaces a password or a query value in responses; send the value itself, or omit the setting";

const AllSettings = z.strictObject({
  ...settings,
  branch: RequestedBranch,
  root_directory: RequestedPath,
  output_directory: RequestedPath,
  domain: Domain,
  repository: settings.repository.check(z.refine((url) => !isMasked(url), STARS)),
  shared_paths: ApartPaths,
  health_check: settings.health_check.check(
    z.refine((check) => !isMasked(check?.url ?? ""), { path: ["url"], message: STARS }),
    z.refine((check) => !isMasked(check?.path ?? ""), { path: ["path"], message: STARS }),
  ),
  limits: z.partial(z.strictObject(mapValues(limitRanges, (range) => z.nullable(range)))),
  timeouts: z.partial(z.strictObject(mapValues(defaultTimeouts, () => stageSeconds))),
  processes: ProcessChanges,
  deploy_on: DeployOnChanges,
  automatic: listUpTo(AutomaticSetting, AutomaticSetting.options.length),
});

/**
 * The settings to change. Omitted settings, and omitted fields of `timeouts`, `limits`, `processes` and `deploy_on`, keep
 * their values. A limit of null is reset to the server's default. `health_check`, `aliases` and `cron` are replaced
 * completely. The settings named in `automatic` become automatic again.
 */
export const UpdateProjectInput = z.partial(AllSettings).check(
  hasUsefulDomains,
  hasUsefulPatterns,
  z.superRefine((input, context) => {
    for (const name of input.automatic ?? [])
      if (input[name] !== undefined)
        context.addIssue({
          code: "custom",
          path: [name],
          message: "must not have a value and be in automatic",
        });
  }),
);
export type UpdateProjectInput = z.infer<typeof UpdateProjectInput>;

/** A row of the project list. Its fields are fixed by agreement: do not add any. */
export const ProjectRow = z.strictObject({
  id: ProjectId,
  name: z.string(),
  framework: z.string(),
  domain: z.string(),
  server_id: ServerId,
  last_deploy: z.nullable(z.string()),
});
export type ProjectRow = z.infer<typeof ProjectRow>;

export const Serving = z.strictObject({
  deployment_id: z.nullable(DeploymentId),
  /** An earlier control plane has none. */
  version: z._default(z.nullable(z.int()), null),
  commit: z.nullable(z.string()),
  checked_at: z.string(),
  drifted: z.boolean(),
});
export type Serving = z.infer<typeof Serving>;

/**
 * A project with its settings. `framework`, the commands and `output_directory` are the values for the next
 * deployment: the setting, or for those in `automatic` the value from the framework's preset. An automatic framework is
 * the one detected by the latest deployment, `static` before the first. `suggested_release_command`: the framework's usual
 * `release_command`; null if it needs none. `processes` and `cron`: the project's own settings, which take precedence over
 * those of the repository, such as `detected_processes`. `variables_applied`: whether the live deployment runs with the
 * current variables; null if nothing is live.
 */
export const Project = z.extend(z.extend(ProjectRow, settings), {
  // Without the rules for names, because a stored name can be older than a rule.
  name: z.string(),
  repository: z.string(),
  timeouts: Timeouts,
  automatic: z.array(AutomaticSetting),
  suggested_release_command: z.nullable(ShellCommand),
  app_type: AppType,
  framework_reasons: z.array(z.string()),
  url: z.nullable(z.string()),
  serving: z.nullable(Serving),
  detected_processes: ProcessDefinitions,
  repository_definitions: RepositoryDefinitions,
  processes_state: z.nullable(ProcessesState),
  variables_applied: z.nullable(z.boolean()),
  maintenance: z.nullable(Maintenance),
  ingress_problem: z.nullable(z.string()),
  health: ProjectHealth,
  deploy_key: z.nullable(DeployKeySummary),
  created_at: z.string(),
});
export type Project = z.infer<typeof Project>;

/** A boolean in a query string. */
const QueryFlag = z
  .pipe(
    z.enum(["true", "false"]),
    z.transform((text) => text === "true"),
  )
  .check(z.meta({ type: "boolean" }));

export const DeleteProjectQuery = z.strictObject({ purge: z.optional(QueryFlag) });

/** `health`: of the projects of this page, by their ids. */
export const ProjectRows = z.strictObject({
  projects: z.array(ProjectRow),
  health: z.record(ProjectId, ProjectHealth),
  next_cursor: NextCursor,
});
export type ProjectRows = z.infer<typeof ProjectRows>;
