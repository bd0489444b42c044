import { eq, sql, and } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import type { Timeouts } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";

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
