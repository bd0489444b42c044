import { and, type AnyColumn, eq, sql } from "drizzle-orm";

import { repositoryKey } from "#contract/forge.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { type SettingsOrigin, settingWrites } from "#worker/db/changes/setting-writes.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { forgetSkipped } from "#worker/db/pushes/push-writes.ts";
import { domainWrites, isDomainTaken } from "#worker/db/projects/domain-writes.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import { MAX_PROCESSES, type ProcessChanges } from "#contract/endpoints/processes/schemas.ts";
import type { DeployOnChanges } from "#contract/endpoints/projects/deploy-on.ts";
import type { Limits, Timeouts } from "#contract/endpoints/projects/settings.ts";
import {
  isRevisionConflict,
  type NewRevision,
  revisionWrites,
} from "#worker/db/variables/revision-writes.ts";
import type { VariablesHead } from "#worker/db/variables/find-variables-head.ts";
import { currentRevision } from "#worker/db/variables/variable-reading.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";

/**
 * Settings to change. Undefined fields keep their values. `timeouts`, `limits`, `processes` and `deployOn` contain only
 * what changes; a limit of null is removed, and so is a process or a field of one.
 */
export type ProjectChanges = {
  readonly [
    Name in Exclude<
      keyof ProjectRecord,
      "id" | "repositoryKey" | "readRepository" | "timeouts" | "limits" | "processes" | "deployOn"
    >
  ]?: ProjectRecord[Name] | undefined;
} & {
  readonly timeouts?: { readonly [Name in keyof Timeouts]?: Timeouts[Name] | undefined } | undefined;
  readonly limits?: { readonly [Name in keyof Limits]?: Limits[Name] | null } | undefined;
  readonly processes?: ProcessChanges | undefined;
  readonly deployOn?: DeployOnChanges | undefined;
};

type ProjectUpdate =
  | "updated"
  | "name_taken"
  | "domain_taken"
  | "variables_changed"
  | "too_many_processes"
  | "no_such_project"
  | "no_such_server"
  | "on_another_server";

type UpdateOptions = {
  readonly mayMove: boolean;
  readonly origin: SettingsOrigin;
  readonly variables?: NewRevision | null;
  readonly checked?: Pick<VariablesHead, "repository" | "revision"> | null;
};

/**
 * Changes a project's settings in one statement, so that concurrent changes cannot mix. Without `mayMove`, the server
 * must be the project's current one; otherwise nothing is changed. `variables`: a change of the variables that is made
 * with it, and only with it. `checked`: nothing is changed if the project has another repository or other variables by
 * then, because the new address was checked against these. `origin`: the request, for the event and the audit log.
 */
export async function updateProject(
  rows: AccountRows,
  id: ProjectId,
  { timeouts, limits, processes, deployOn, ...others }: ProjectChanges,
  { mayMove, origin, variables = null, checked = null }: UpdateOptions,
): Promise<ProjectUpdate> {
  const { serverId, repository } = others;
  const isThere = (server: ServerId) =>
    mayMove ? sql`${rows.count(servers, eq(servers.id, server))} = 1` : eq(projects.serverId, server);
  const hasServer = serverId === undefined ? undefined : isThere(serverId);
  const patched = (column: AnyColumn, change: unknown) =>
    sql`json_patch(coalesce(${column}, '{}'), ${JSON.stringify(change)})`;
  const patchedProcesses = processes === undefined ? undefined : patched(projects.processes, processes);
  const hasRoom =
    patchedProcesses === undefined
      ? undefined
      : sql`(select count(*) from json_each(${patchedProcesses})) <= ${MAX_PROCESSES}`;
  const isAsChecked =
    checked === null
      ? undefined
      : and(eq(projects.repository, checked.repository), eq(currentRevision(rows), checked.revision));
  const isPossible = and(hasServer, hasRoom, isAsChecked);
  // Another server has another key.
  const keptKey = sql`case when ${projects.serverId} = ${serverId} then ${projects.deployKey} end`;
  const changes = {
    ...others,
    ...(serverId === undefined ? {} : { deployKey: keptKey }),
    ...(repository === undefined ? {} : { repositoryKey: repositoryKey(repository) }),
    ...(timeouts === undefined ? {} : { timeouts: patched(projects.timeouts, timeouts) }),
    ...(limits === undefined ? {} : { limits: patched(projects.limits, limits) }),
    ...(deployOn === undefined ? {} : { deployOn: patched(projects.deployOn, deployOn) }),
    ...(patchedProcesses === undefined ? {} : { processes: patchedProcesses }),
  };
  try {
    const isChanged = and(eq(projects.id, id), isPossible);
    const update = rows.update(projects, changes, isChanged);
    const { before, after } = settingWrites(rows, id, changes, isChanged, origin);
    // Before the update, whose condition they repeat.
    const writes = variables === null ? [] : revisionWrites(rows, variables, isPossible);
    const names = domainWrites(rows, id, others, sql`${rows.count(projects, isChanged)} = 1`);
    const skipped = deployOn === undefined ? [] : [forgetSkipped(rows, id)];
    const first = [...writes, ...names, ...skipped, ...before];
    const counts = await rows.runTogether([...first, update, ...after]);
    if (counts[first.length] === 1) return "updated";
  } catch (error) {
    if (isRevisionConflict(error)) return "variables_changed";
    const violated = uniqueViolation(error);
    if (violated === "projects.account_id, projects.name") return "name_taken";
    if (isDomainTaken(violated)) return "domain_taken";
    throw error;
  }
  const count = sql<number>`(select count(*) from json_each(${patchedProcesses ?? projects.processes}))`;
  const isAsRead = sql<number>`(${isAsChecked ?? sql`true`})`;
  const [project] = await rows.select({ count, isAsRead }, projects, { where: eq(projects.id, id) });
  if (project === undefined) return "no_such_project";
  if (project.isAsRead === 0) return "variables_changed";
  if (project.count > MAX_PROCESSES) return "too_many_processes";
  return mayMove ? "no_such_server" : "on_another_server";
}
