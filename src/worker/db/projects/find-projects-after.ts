import { and, eq, sql } from "drizzle-orm";

import type { ProjectId, AccountId } from "#contract/ids.ts";
import { locationOfServer } from "#worker/db/projects/server-location.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/reads.ts";
import { from, limited } from "#worker/db/statements.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

type FoundProject = {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly serverLocation: ServerLocation;
};

/**
 * Projects of all accounts, sorted by id.
 * @param after the last id of the previous page; empty: from the start
 */
export async function findProjectsAfter(
  database: D1Database,
  after: ProjectId | "",
  limit: number,
): Promise<FoundProject[]> {
  const ofProject = and(eq(servers.id, projects.serverId), eq(servers.accountId, projects.accountId));
  const fields = {
    accountId: projects.accountId,
    projectId: projects.id,
    serverLocation: sql<ServerLocation>`(select ${locationOfServer} ${from(servers, ofProject)})`,
  };
  const page = sql`${from(projects, sql`${projects.id} > ${after}`)} order by ${projects.id}${limited(limit)}`;
  return await read(database, select(fields, page));
}
