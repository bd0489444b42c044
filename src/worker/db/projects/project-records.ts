import { eq, getTableColumns, sql, and } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, servers, deployments } from "#worker/db/schema.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import type { Timeouts, Preset } from "#contract/endpoints/projects/schemas.ts";

/** A project's row in D1. Times are Unix milliseconds. */
export type ProjectRecord = Omit<typeof projects.$inferSelect, "accountId">;

const { accountId: _owner, ...columns } = getTableColumns(projects);

/** The account's project with this id; null if there is none. */
export async function findProject(rows: AccountRows, id: ProjectId): Promise<ProjectRecord | null> {
  const [project] = await rows.select(columns, projects, { where: eq(projects.id, id), limit: 1 });
  return project ?? null;
}

const summaryColumns = {
  id: projects.id,
  name: projects.name,
  framework: projects.framework,
  detected: projects.detected,
  domain: projects.domain,
  serverId: projects.serverId,
  lastDeployAt: projects.lastDeployAt,
};

/** The fields of a project in a list. */
export type ProjectSummary = Pick<typeof projects.$inferSelect, keyof typeof summaryColumns>;

/** The account's projects, newest first. */
export async function listProjects(
  rows: AccountRows,
  position: Position<ProjectId>,
): Promise<ProjectSummary[]> {
  return rows.select(summaryColumns, projects, newestFirst(projects.id, position));
}

/** `added_before`: a project with this id exists. */
type ProjectInsertion =
  | "inserted"
  | "added_before"
  | "name_taken"
  | "domain_taken"
  | "no_such_server"
  | "too_many";

/** Adds a project if the account has its server, and if its name in the account and its domain in the installation are free. */
export async function insertProject(rows: AccountRows, project: ProjectRecord): Promise<ProjectInsertion> {
  const hasServer = rows.count(servers, eq(servers.id, project.serverId));
  const onlyIf = sql`${hasServer} = 1 and ${rows.count(projects)} < ${MAX_PER_ACCOUNT}`;
  try {
    if ((await rows.run(rows.insert(projects, project, onlyIf))) === 1) return "inserted";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === "projects.id") return "added_before";
    if (violated === "projects.account_id, projects.name") return "name_taken";
    if (violated === "projects.domain") return "domain_taken";
    throw error;
  }
  const [server] = await rows.select({ id: servers.id }, servers, {
    where: eq(servers.id, project.serverId),
  });
  return server === undefined ? "no_such_server" : "too_many";
}

/** Settings to change. Undefined fields keep their values. `timeouts` contains only the timeouts that change. */
export type ProjectChanges = {
  readonly [Name in Exclude<keyof ProjectRecord, "id" | "timeouts">]?: ProjectRecord[Name] | undefined;
} & { readonly timeouts?: { readonly [Name in keyof Timeouts]?: Timeouts[Name] | undefined } | undefined };

type ProjectUpdate =
  | "updated"
  | "name_taken"
  | "domain_taken"
  | "no_such_project"
  | "no_such_server"
  | "on_another_server";

/**
 * Changes a project's settings in one statement, so that concurrent changes cannot mix. Without `mayMove`, the server
 * must be the project's current one; otherwise nothing is changed.
 */
export async function updateProject(
  rows: AccountRows,
  id: ProjectId,
  { timeouts, ...others }: ProjectChanges,
  { mayMove }: { readonly mayMove: boolean },
): Promise<ProjectUpdate> {
  const { serverId } = others;
  const isThere = (server: ServerId) =>
    mayMove ? sql`${rows.count(servers, eq(servers.id, server))} = 1` : eq(projects.serverId, server);
  const hasServer = serverId === undefined ? undefined : isThere(serverId);
  const merged = sql`json_patch(${projects.timeouts}, ${JSON.stringify(timeouts)})`;
  const changes = { ...others, ...(timeouts === undefined ? {} : { timeouts: merged }) };
  try {
    const write = rows.update(projects, changes, and(eq(projects.id, id), hasServer));
    if ((await rows.run(write)) === 1) return "updated";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === "projects.account_id, projects.name") return "name_taken";
    if (violated === "projects.domain") return "domain_taken";
    throw error;
  }
  const [project] = await rows.select({ id: projects.id }, projects, { where: eq(projects.id, id) });
  if (project === undefined) return "no_such_project";
  return mayMove ? "no_such_server" : "on_another_server";
}

/** Records the settings that the latest deployment detected from the project's files. */
export async function setDetected(rows: AccountRows, projectId: ProjectId, detected: Preset): Promise<void> {
  await rows.run(rows.update(projects, { detected }, eq(projects.id, projectId)));
}

/** Deletes a project's rows with those of its deployments. Safe to repeat. */
export async function deleteProjectRecords(rows: AccountRows, id: ProjectId): Promise<void> {
  await rows.runTogether([
    rows.delete(deployments, eq(deployments.projectId, id)),
    rows.delete(projects, eq(projects.id, id)),
  ]);
}
