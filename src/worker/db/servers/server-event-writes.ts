import { and, eq, type SQL, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { computedEventWrites } from "#worker/db/changes/change-writes.ts";
import type { StoredChange } from "#worker/db/changes/stored-change.ts";
import { servingServerOf } from "#worker/db/projects/served-project.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";

/** What D1 adds to the data of an event, and whether the event is still to be written. */
type Completed = { readonly data: SQL; readonly isWanted: SQL };

/**
 * Adds events of a server's status, and of what begins or ends to fail of its projects, with what only D1 knows of
 * them. Skips events of a server or a project that was deleted. Safe to repeat.
 */
export function serverEventWrites(
  rows: AccountRows,
  id: ServerId,
  changes: readonly StoredChange[],
): Write[] {
  return changes.flatMap(({ event }) => {
    if (event === null) return [];
    const { data: stored, ...row } = event;
    const json = JSON.stringify(stored);
    const { data, isWanted } =
      row.projectId === null
        ? ofServer(rows, id, json)
        : ofProject(rows, id, row.projectId, json, "reason" in stored && stored["reason"] !== null);
    return computedEventWrites(rows, row, data, isWanted);
  });
}

function ofServer(rows: AccountRows, id: ServerId, json: string): Completed {
  const isIt = eq(servers.id, id);
  const name = rows.first<string>(servers.name, servers, isIt, sql`1`);
  return {
    data: sql`json_set(${json}, '$.server.name', ${name})`,
    isWanted: sql`${rows.count(servers, isIt)} = 1`,
  };
}

/** @param hasRecovered then the event is written also if the project has moved to another server since */
function ofProject(
  rows: AccountRows,
  serverId: ServerId,
  id: ProjectId,
  json: string,
  hasRecovered: boolean,
): Completed {
  const isIt = eq(projects.id, id);
  const name = rows.firstNamed<string>(projects.name, projects, isIt, sql`1`);
  const isLive = and(eq(deployments.projectId, id), sql`${deployments.status} = 'live'`);
  const reference = sql`json_object('id', ${deployments.id}, 'version', ${deployments.version})`;
  const live = rows.firstNamed<string>(reference, deployments, isLive, sql`1`);
  const exists = sql`${rows.count(projects, isIt)} = 1`;
  const isMember = and(eq(projectServers.projectId, id), eq(projectServers.serverId, serverId));
  const isServer = eq(servers.id, projectServers.serverId);
  const serverName = rows.firstNamed<string>(servers.name, servers, isServer, sql`1`);
  const member = sql`json_object('id', ${projectServers.serverId}, 'name', ${serverName})`;
  const server = rows.firstNamed<string>(member, projectServers, isMember, sql`1`);
  const isThere = sql`(${servingServerOf(rows, id)} = ${serverId} or ${rows.count(projectServers, isMember)} = 1)`;
  return {
    data: sql`json_set(${json}, '$.project.name', ${name}, '$.live', json(${live}), '$.server', json(${server}))`,
    isWanted: hasRecovered ? exists : sql`${exists} and ${isThere}`,
  };
}
