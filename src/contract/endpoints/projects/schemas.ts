import * as z from "zod/mini";

import { listUpTo } from "#contract/bounds.ts";
import {
  isMasked,
  ProjectRepository,
  RequestedBranch,
  RequestedPath,
  RequestedSharedPath,
} from "#contract/git-names.ts";
import { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { withInitial } from "#contract/lib/field-table.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { ProcessChanges, ProcessDefinitions, ProcessesState } from "#contract/endpoints/processes/schemas.ts";
import { DeployOn, DeployOnChanges } from "#contract/endpoints/projects/deploy-on.ts";
import { hasUsefulPatterns } from "#contract/endpoints/projects/push-patterns.ts";
import { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import { initialSettings, ProjectSettings } from "#contract/endpoints/projects/project-settings.ts";
import { NewEntry } from "#contract/endpoints/projects/entry.ts";
import { ChangedServers, NewServers, Rollout, RolloutChanges } from "#contract/endpoints/projects/servers.ts";
import { RepositoryDefinitions } from "#contract/endpoints/projects/repository-definitions.ts";
import { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import {
  type Alias,
  AppType,
  AutomaticSetting,
  DisplayName,
  Domain,
  limitRanges,
  Preset,
  stageSeconds,
  Timeouts,
} from "#contract/endpoints/projects/settings.ts";
import { growing } from "#contract/growing.ts";
import { Maintenance } from "#contract/endpoints/traffic/schemas.ts";
import { NextCursor } from "#contract/paging.ts";
import { ShellCommand } from "#contract/shell-command.ts";
import { defaultTimeouts } from "#contract/stages.ts";

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

/** Refuses a `server_id` that says something else than `servers`. */
const hasOneServerList = z.superRefine<{
  readonly server_id?: ServerId | undefined;
  readonly servers?: readonly { readonly id: ServerId }[] | undefined;
}>(({ server_id: serverId, servers }, context) => {
  const first = servers?.[0]?.id;
  if (serverId === undefined || first === undefined || first === serverId) return;
  const message = "must be the first of servers: send only servers, or the same server";
  context.addIssue({ code: "custom", path: ["server_id"], message });
});

/** The settings in requests, with the rules for names and addresses. */
const requested = {
  ...ProjectSettings.shape,
  servers: NewServers,
  entry: NewEntry,
  name: DisplayName,
  domain: Domain,
  repository: ProjectRepository,
  branch: RequestedBranch,
  root_directory: RequestedPath,
  shared_paths: ApartPaths,
};

export const CreateProjectInput = z
  .strictObject({
    ...withInitial(requested, initialSettings),
    rollout: z.prefault(Rollout, {}),
    domain: z.optional(Domain),
    output_directory: z.optional(RequestedPath),
    deploy_on: z.prefault(DeployOn, {}),
    timeouts: z.prefault(Timeouts, {}),
  })
  .check(hasUsefulDomains, hasUsefulPatterns, hasOneServerList);
export type CreateProjectInput = z.infer<typeof CreateProjectInput>;

const STARS =
  "contains ***, which replaces a password or a query value in responses; send the value itself, or omit the setting";

const AllSettings = z.strictObject({
  ...requested,
  ...Preset.shape,
  output_directory: RequestedPath,
  repository: requested.repository.check(z.refine((url) => !isMasked(url), STARS)),
  health_check: requested.health_check.check(
    z.refine((check) => !isMasked(check?.url ?? ""), { path: ["url"], message: STARS }),
    z.refine((check) => !isMasked(check?.path ?? ""), { path: ["path"], message: STARS }),
  ),
  limits: z.partial(z.strictObject(mapValues(limitRanges, (range) => z.nullable(range)))),
  timeouts: z.partial(z.strictObject(mapValues(defaultTimeouts, () => stageSeconds))),
  processes: ProcessChanges,
  servers: ChangedServers,
  deploy_on: DeployOnChanges,
  rollout: RolloutChanges,
  automatic: listUpTo(AutomaticSetting, AutomaticSetting.options.length),
});

/**
 * The settings to change. Omitted settings, and omitted fields of `timeouts`, `limits`, `processes`, `deploy_on` and
 * `rollout`, keep their values. A limit of null is reset to the server's default. `health_check`, `aliases`, `cron`, `servers` and
 * `entry` are replaced completely. The settings named in `automatic` become automatic again.
 */
export const UpdateProjectInput = z.partial(AllSettings).check(
  hasUsefulDomains,
  hasUsefulPatterns,
  hasOneServerList,
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
 * What one of several servers serves. `status`: `live`: the live deployment. `ahead`: a deployment that has not switched on all
 * servers yet. `behind`: something else, or nothing yet, and it will get the live deployment. `unknown`: it is not connected, so this is what it reported last. `none`: nothing is live.
 * `version`: of the code.
 */
export const ServerState = z.strictObject({
  id: ServerId,
  name: z.string(),
  status: growing(z.enum(["live", "ahead", "behind", "unknown", "none"])),
  version: z.nullable(z.int()),
  checked_at: z.nullable(z.string()),
  url: z.nullable(z.string()),
  processes_state: z.nullable(ProcessesState),
  ingress_problem: z.nullable(z.string()),
  health: ProjectHealth,
  deploy_key: z.nullable(DeployKeySummary),
});
export type ServerState = z.infer<typeof ServerState>;

/**
 * Whether a server does its part for the traffic of a project with the entry `balancer`. `status`: `ok`: it does. `pending`: it
 * has not answered yet. `problem`: it cannot, or does not get what it needs. `unknown`: it is not connected. `out`: the
 * servers that a balancer has taken out, because they do not answer.
 */
export const BalanceState = z.strictObject({
  id: ServerId,
  name: z.string(),
  role: growing(z.enum(["balancer", "server"])),
  status: growing(z.enum(["ok", "pending", "problem", "unknown"])),
  problem: z.nullable(z.string()),
  out: z.array(ServerId),
});
export type BalanceState = z.infer<typeof BalanceState>;

/**
 * A project with its settings. `framework`, the commands and `output_directory` are the values for the next deployment:
 * the setting, or for settings in `automatic` the value from the framework's preset. An automatic framework was
 * detected by the latest deployment, `static` before the first. `suggested_release_command`: the framework's usual
 * `release_command`; null if it needs none. `processes` and `cron`: the project's own settings, which take precedence
 * over the repository's, such as `detected_processes`. `variables_applied`: whether the live deployment runs with the
 * current variables; null if nothing is live.
 */
export const Project = z.extend(z.extend(ProjectRow, { ...ProjectSettings.shape, ...Preset.shape }), {
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
  servers_state: z._default(z.array(ServerState), []),
  balance_state: z._default(z.array(BalanceState), []),
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
