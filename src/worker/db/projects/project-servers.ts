import { and, eq, gt, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import * as z from "zod/mini";

import { ProcessReports } from "#contract/endpoints/processes/schemas.ts";
import { HealthReason } from "#contract/endpoints/projects/health.ts";
import { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { type ProjectId, ServerId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { locationOfServer } from "#worker/db/projects/find-project.ts";
import { storedSetting } from "#worker/db/projects/settings-column.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { projects, servers, type StoredSettings } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

/** The id of the row of a project's server. */
export function projectServerId(projectId: ProjectId, serverId: ServerId): string {
  return `${projectId}/${serverId}`;
}

/**
 * Gives a project a row for each of its servers, if it has several, and removes the rows of other servers. Run them after the
 * change of the project's row: they have no effect unless it has these servers.
 * @param stored the stored setting
 */
export function serverWrites(
  rows: AccountRows,
  projectId: ProjectId,
  stored: StoredSettings["servers"],
): Write[] {
  const hasThese = sql`json(${storedSetting("servers")}) = json(${JSON.stringify(stored)})`;
  const isStored = sql`${rows.count(projects, and(eq(projects.id, projectId), hasThese))} = 1`;
  const ids = stored.map(({ id }) => id);
  const isOther = sql`${projectServers.serverId} not in (select value from json_each(${JSON.stringify(ids)}))`;
  const members = ids.map((serverId) => ({ id: projectServerId(projectId, serverId), projectId, serverId }));
  return [
    rows.delete(
      projectServers,
      sql`${eq(projectServers.projectId, projectId)} and ${isOther} and ${isStored}`,
    ),
    ...rows.insertEachIfNew(projectServers, members, isStored),
  ];
}

/** Whether the account has all of these servers. */
export function hasServers(rows: AccountRows, ids: readonly ServerId[]): SQL {
  return sql`${rows.count(servers, isOneOf(servers.id, ids))} = ${ids.length}`;
}

/** The servers of the account, of the given ones. */
export async function findServerIds(rows: AccountRows, ids: readonly ServerId[]): Promise<ServerId[]> {
  const found = await rows.select({ id: servers.id }, servers, { where: isOneOf(servers.id, ids) });
  return found.map(({ id }) => id);
}

type MemberLocation = { readonly serverId: ServerId; readonly serverLocation: ServerLocation };

/** The servers of a project that has several, and where their objects are. @param options `withoutKey`: only servers whose deploy key is not known */
export async function findMemberLocations(
  rows: AccountRows,
  id: ProjectId,
  { withoutKey = false }: { readonly withoutKey?: boolean } = {},
): Promise<MemberLocation[]> {
  const isServer = eq(servers.id, projectServers.serverId);
  const serverLocation = rows.first<ServerLocation>(locationOfServer, servers, isServer, sql`${servers.id}`);
  const fields = { serverId: projectServers.serverId, serverLocation };
  return await rows.select(fields, projectServers, {
    where: and(eq(projectServers.projectId, id), withoutKey ? isNull(projectServers.deployKey) : undefined),
    isNamed: true,
  });
}

/** A server of the account, and where its objects are; null: the account has no such server. */
export async function findServerLocation(rows: AccountRows, id: ServerId): Promise<MemberLocation | null> {
  return await rows.find(locationFields, servers, id);
}

const locationFields = { serverId: servers.id, serverLocation: locationOfServer };

/** Whether the project in `projects` has a server as one of several. */
export function isOneOfServers(rows: AccountRows, serverId: ServerId): SQL {
  const isThere = and(eq(projectServers.projectId, projects.id), eq(projectServers.serverId, serverId));
  return sql`${rows.count(projectServers, isThere)} > 0`;
}

/** Whether a deployment has had a run on a server. */
export function hasRunOn(
  columns: { readonly serverId: SQLiteColumn; readonly runs: SQLiteColumn },
  serverId: ServerId,
): SQL {
  return sql`(${columns.serverId} = ${serverId} or exists (select 1 from json_each(${columns.runs}) as run where run.value ->> 'server_id' = ${serverId}))`;
}

const MemberReading = z.strictObject({
  id: ServerId,
  name: z.string(),
  isConnected: z.int(),
  release: z.nullable(z.int()),
  checkedAt: z.nullable(z.int()),
  url: z.nullable(z.string()),
  confirmedAt: z.nullable(z.int()),
  processes: z.nullable(ProcessReports),
  ingressProblem: z.nullable(z.string()),
  health: z.nullable(z.array(HealthReason)),
  deployKey: z.nullable(DeployKeySummary),
});
const storedMembers = storedAs(z.array(MemberReading));

/**
 * What the agent of one of several servers has reported of a project. `release`: the release that it serves. Times are Unix
 * milliseconds; null: never. `confirmedAt`: when it last reported the same; null: not since `checkedAt`.
 */
export type MemberReading = z.infer<typeof MemberReading>;

/** Whether the server in `servers` has reported again what D1 has of a project. */
export function hasConfirmed({ servingCheckedAt }: { readonly servingCheckedAt: SQLiteColumn }) {
  return and(lte(servers.reportsSince, servingCheckedAt), gt(servers.reportsCheckedAt, servingCheckedAt));
}

/** A field of the server in `projectServers`. @param isWanted a further condition */
function ofServer(rows: AccountRows, field: SQL | typeof servers.name, isWanted?: SQL): SQL {
  const where = and(eq(servers.id, projectServers.serverId), isWanted);
  return rows.first(field, servers, where, sql`${servers.id}`);
}

/** The part of a JSON object that says which server it is about, and whether it is connected. */
function namedServer(rows: AccountRows): SQL {
  const isConnected = ofServer(rows, sql`${servers.connectedAt} is not null`);
  return sql`'name', ${ofServer(rows, servers.name)}, 'isConnected', ${isConnected}`;
}

/** The servers of the project in `projects`, if it has several, for `membersOf`. */
export function memberFields(rows: AccountRows): SQL {
  const item = sql`json_object(
    'id', ${projectServers.serverId},
    ${namedServer(rows)},
    'release', ${projectServers.servingRelease},
    'checkedAt', ${projectServers.servingCheckedAt},
    'url', ${projectServers.url},
    'confirmedAt', ${ofServer(rows, sql`${servers.reportsCheckedAt}`, hasConfirmed(projectServers))},
    'processes', json(${projectServers.reportedProcesses}),
    'ingressProblem', ${projectServers.ingressProblem},
    'health', json(${projectServers.health}),
    'deployKey', json(${projectServers.deployKey}))`;
  return rows.listNamed(item, projectServers, eq(projectServers.projectId, projects.id));
}

const MemberHealth = z.pick(MemberReading, { name: true, isConnected: true, health: true });
const storedHealths = storedAs(z.array(MemberHealth));

/** What does not work on the servers of the project in `projects`, if it has several, for `healthsOf`. */
export function memberHealths(rows: AccountRows): SQL {
  const item = sql`json_object(${namedServer(rows)}, 'health', json(${projectServers.health}))`;
  return rows.listNamed(item, projectServers, eq(projectServers.projectId, projects.id));
}

/** The health of each server, from the value of `memberHealths`. */
export function healthsOf(value: unknown): z.infer<typeof MemberHealth>[] {
  return storedHealths.parse(value);
}

/** The servers of a project that has several. */
export async function findMembers(rows: AccountRows, id: ProjectId): Promise<MemberReading[]> {
  const found = await rows.find(onlyMembers, projects, id);
  return found === null ? [] : membersOf(found.members);
}

const onlyMembers = (rows: AccountRows) => ({ members: memberFields(rows) });

/** The servers, from the value of `memberFields`. */
export function membersOf(value: unknown): MemberReading[] {
  return storedMembers.parse(value);
}
