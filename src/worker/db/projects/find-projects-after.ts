import { and, eq, sql } from "drizzle-orm";

import type { ProjectId, AccountId } from "#contract/ids.ts";
import { placeOfServer } from "#worker/db/projects/server-place.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/reads.ts";
import { from } from "#worker/db/statements.ts";
import type { ServerPlace } from "#worker/objects/placement.ts";

type FoundProject = {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly repository: string;
  readonly serverPlace: ServerPlace;
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
    repository: projects.repository,
    serverPlace: sql<ServerPlace>`(select ${placeOfServer} ${from(servers, ofProject)})`,
  };
  const page = sql`${from(projects, sql`${projects.id} > ${after}`)} order by ${projects.id} limit ${limit}`;
  return await read(database, select(fields, page));
}
