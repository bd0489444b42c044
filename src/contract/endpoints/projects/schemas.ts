import * as z from "zod/mini";

import { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { ProcessDefinitions, ProcessesState } from "#contract/endpoints/processes/schemas.ts";
import { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import { ProjectSettings } from "#contract/endpoints/projects/project-settings.ts";
import { RepositoryDefinitions } from "#contract/endpoints/projects/repository-definitions.ts";
import { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { AppType, AutomaticSetting, Preset } from "#contract/endpoints/projects/settings.ts";
import { growing } from "#contract/growing.ts";
import { Maintenance } from "#contract/endpoints/traffic/schemas.ts";
import { NextCursor } from "#contract/paging.ts";
import { ShellCommand } from "#contract/shell-command.ts";

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
