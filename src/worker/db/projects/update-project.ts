import { and, eq, inArray, type SQL, sql } from "drizzle-orm";

import { repositoryKey } from "#contract/forge.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { type SettingsOrigin, settingWrites } from "#worker/db/changes/setting-writes.ts";
import { projects } from "#worker/db/schema.ts";
import { forgetSkipped } from "#worker/db/pushes/push-records.ts";
import { domainWrites, isDomainTaken } from "#worker/db/projects/domain-writes.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import { hasServers, serverWrites } from "#worker/db/projects/project-servers.ts";
import {
  changedSettings,
  hasOneServer,
  patchedSetting,
  storedServers,
  storedSetting,
} from "#worker/db/projects/settings-column.ts";
import { MAX_PROCESSES } from "#contract/endpoints/processes/schemas.ts";
import { ApprovalRule, isWeakerRule } from "#contract/endpoints/projects/approval-rule.ts";
import { initialSettings } from "#contract/endpoints/projects/project-settings.ts";
import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import {
  isRevisionConflict,
  type NewRevision,
  revisionWrites,
} from "#worker/db/variables/revision-writes.ts";
import { builderId } from "#worker/db/variables/sealing-servers.ts";
import { currentRevision, type VariablesHead } from "#worker/db/variables/variable-records.ts";

type ProjectUpdate =
  | "updated"
  | "name_taken"
  | "domain_taken"
  | "variables_changed"
  | "approval_weakened"
  | "too_many_processes"
  | "no_such_project"
  | "no_such_server"
  | "on_another_server"
  | "has_servers";

type UpdateOptions = {
  readonly mayMove: boolean;
  readonly mayWeaken?: boolean;
  readonly origin: SettingsOrigin;
  readonly variables?: NewRevision | null;
  readonly checked?: Pick<VariablesHead, "repository" | "revision"> | null;
};

/**
 * Changes a project's settings in one statement, so that concurrent changes cannot mix. Without `mayMove`, the servers
 * must be the project's current ones, also the server that builds, and the request must name no balancers; otherwise nothing is changed. A `server_id` alone changes nothing in a project with a list of
 * servers. Without `mayWeaken`, the approval rule must not be weaker
 * than the project's current one. `variables`: a change of the variables that is made
 * with it, and only with it. `checked`: nothing is changed if the project has another repository or other variables by
 * then, because the new address was checked against these. `origin`: the request, for the event and the audit log.
 */
export async function updateProject(
  rows: AccountRows,
  id: ProjectId,
  input: UpdateProjectInput,
  { mayMove, mayWeaken = true, origin, variables = null, checked = null }: UpdateOptions,
): Promise<ProjectUpdate> {
  const { repository, processes } = input;
  const serverId = input.servers?.[0]?.id ?? input.server_id;
  const ids = input.servers?.map((server) => server.id) ?? (serverId === undefined ? [] : [serverId]);
  const { build_on: builder } = input;
  const hasBuilder =
    builder === undefined ? undefined : mayMove ? isThere(rows, builder) : isBuiltOn(builder);
  const isMovable = input.servers === undefined && serverId !== undefined ? hasOneServer : undefined;
  const named = [...new Set([...ids, ...(input.entry?.balancers ?? [])])];
  const hasServer = named.length === 0 ? undefined : mayMove ? hasServers(rows, named) : isOn(ids);
  const nextProcesses =
    processes === undefined ? storedSetting("processes") : patchedSetting("processes", processes);
  const hasRoom =
    processes === undefined
      ? undefined
      : sql`(select count(*) from json_each(${nextProcesses})) <= ${MAX_PROCESSES}`;
  const isAsChecked =
    checked === null
      ? undefined
      : and(eq(projects.repository, checked.repository), eq(currentRevision(rows), checked.revision));
  const isStrictEnough = mayWeaken ? undefined : isAtMost(input.approval);
  const isPossible = and(isMovable, hasServer, hasBuilder, hasRoom, isAsChecked, isStrictEnough);
  // Another server has another key.
  const keptKey = sql`case when ${projects.serverId} = ${serverId} then ${projects.deployKey} end`;
  const stored = input.servers === undefined ? null : storedServers(input.servers);
  const settings = changedSettings(stored === null ? input : { ...input, servers: stored });
  const changes = {
    ...{ name: input.name, domain: input.domain, branch: input.branch },
    ...(serverId === undefined ? {} : { serverId, deployKey: keptKey }),
    ...(repository === undefined ? {} : { repository, repositoryKey: repositoryKey(repository) }),
    // The detected settings may belong to the framework that was set before.
    ...(input.automatic?.includes("framework") === true ? { detected: null } : {}),
    ...(settings === null ? {} : { settings: settings.json }),
  };
  try {
    const isChanged = and(eq(projects.id, id), isPossible);
    const update = rows.update(projects, changes, isChanged);
    const { before, after } = settingWrites(rows, id, changes, { isChanged, origin, settings });
    // Before the update, whose condition they repeat.
    const writes = variables === null ? [] : revisionWrites(rows, variables, isPossible);
    const names = domainWrites(rows, id, input, sql`${rows.count(projects, isChanged)} = 1`);
    const skipped = input.deploy_on === undefined ? [] : [forgetSkipped(rows, id)];
    const first = [...writes, ...names, ...skipped, ...before];
    const members = stored === null ? [] : serverWrites(rows, id, stored);
    const counts = await rows.runTogether([...first, update, ...after, ...members]);
    if (counts[first.length] === 1) return "updated";
  } catch (error) {
    if (isRevisionConflict(error)) return "variables_changed";
    const violated = uniqueViolation(error);
    if (violated === "projects.account_id, projects.name") return "name_taken";
    if (isDomainTaken(violated)) return "domain_taken";
    throw error;
  }
  const count = sql<number>`(select count(*) from json_each(${nextProcesses}))`;
  const isAsRead = sql<number>`(${isAsChecked ?? sql`true`})`;
  const isStrict = sql<number>`(${isStrictEnough ?? sql`true`})`;
  const isAlone = sql<number>`(${isMovable ?? sql`true`})`;
  const fields = { count, isAsRead, isStrict, isAlone };
  const [project] = await rows.select(fields, projects, { where: eq(projects.id, id) });
  if (project === undefined) return "no_such_project";
  if (project.isAsRead === 0) return "variables_changed";
  if (project.isStrict === 0) return "approval_weakened";
  if (project.count > MAX_PROCESSES) return "too_many_processes";
  if (project.isAlone === 0) return "has_servers";
  return mayMove ? "no_such_server" : "on_another_server";
}

/** Whether these are the project's servers. */
function isOn(ids: readonly ServerId[]): SQL {
  const stored = sql`(select json_group_array(value ->> 'id') from json_each(${storedSetting("servers")}))`;
  const now = sql`iif(${hasOneServer}, json_array(${projects.serverId}), ${stored})`;
  return sql`${now} = ${JSON.stringify(ids)}`;
}

/** Whether the account has a server. @param serverId null: no condition */
function isThere(rows: AccountRows, serverId: ServerId | null): SQL | undefined {
  return serverId === null ? undefined : hasServers(rows, [serverId]);
}

/** Whether this server builds for all in the project; null: none does. */
function isBuiltOn(builder: ServerId | null): SQL {
  return sql`${builderId} is ${builder}`;
}

/** Whether the stored approval rule is this one or a weaker one. @param rule undefined: no condition */
function isAtMost(rule: ApprovalRule | undefined) {
  if (rule === undefined) return undefined;
  const rules = ApprovalRule.options.filter((one) => !isWeakerRule(rule, one));
  const stored = sql`coalesce(${projects.settings} ->> 'approval', ${initialSettings.approval})`;
  return inArray(stored, rules);
}
