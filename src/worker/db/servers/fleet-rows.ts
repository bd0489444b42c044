import { and, eq, sql } from "drizzle-orm";
import * as z from "zod/mini";

import { Entry } from "#contract/endpoints/projects/entry.ts";
import { ProjectServers, projectServers as serversOf } from "#contract/endpoints/projects/servers.ts";
import { Alias } from "#contract/endpoints/projects/settings.ts";
import { type ProjectId, ServerId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import {
  type FleetContent,
  fleetContent,
  type FleetProject,
  serversToNotify,
} from "#domain/fleet/fleet-state.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { locationOfServer } from "#worker/db/projects/find-project.ts";
import { storedSetting } from "#worker/db/projects/settings-column.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { isFrontedAt } from "#worker/db/servers/shared-projects.ts";
import { deployments, isFronted, projects, servers } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

// What servers must know of each other. All of it is about projects with several servers, or with an entry: an account
// without one has no row for these reads.

const Reading = z.strictObject({
  entry: z.nullable(Entry),
  servers: z.nullable(ProjectServers),
  aliases: z.nullable(z.array(Alias)),
  live: z.nullable(z.strictObject({ serverId: ServerId, switched: z.nullable(z.array(ServerId)) })),
});
const storedReading = storedAs(Reading);

function projectFields(rows: AccountRows) {
  const isLive = and(eq(deployments.projectId, projects.id), sql`${deployments.status} = 'live'`);
  const switched = sql`(select json_group_array(run.value ->> 'server_id') from json_each(${deployments.runs}) as run where run.value ->> 'status' = 'switched')`;
  const live = sql`json_object('serverId', ${deployments.serverId}, 'switched', iif(${deployments.runs} is null, null, json(${switched})))`;
  return {
    id: projects.id,
    domain: projects.domain,
    serverId: projects.serverId,
    settings: sql<unknown>`json_object(
      'entry', ${storedSetting("entry")},
      'servers', ${storedSetting("servers")},
      'aliases', ${storedSetting("aliases")},
      'live', json(${rows.first(live, deployments, isLive, sql`${deployments.version}`)}))`,
  };
}

type Row = {
  readonly id: ProjectId;
  readonly domain: string;
  readonly serverId: ServerId;
  readonly settings: unknown;
};

function fleetProject({ id, domain, serverId, settings }: Row): FleetProject {
  const { entry, servers: stored, aliases, live } = storedReading.parse(settings);
  return {
    id,
    domain,
    aliases: aliases ?? [],
    entry: entry ?? Entry.parse({}),
    servers: serversOf(serverId, stored ?? []),
    live: live === null ? [] : [...new Set(live.switched ?? [live.serverId])],
  };
}

/** The account's project with this id; null if there is none. */
export async function findFleetProject(rows: AccountRows, id: ProjectId): Promise<FleetProject | null> {
  const found = await rows.find(projectFields, projects, id);
  return found === null ? null : fleetProject(found);
}

/** The projects on which a server works together with others. One round trip. */
export async function findShared(rows: AccountRows, serverId: ServerId): Promise<readonly FleetProject[]> {
  const several = rows.column(
    projectServers.projectId,
    projectServers,
    eq(projectServers.serverId, serverId),
  );
  const isOfSeveral = sql`${projects.id} in (${several}) and not ${isFronted(projects)}`;
  const [fronted, others] = await rows.selectBoth(
    [projectFields, projects, { where: isFrontedAt(rows, serverId) }],
    [projectFields, projects, { where: isOfSeveral, isNamed: true }],
  );
  return [...fronted, ...others].map(fleetProject);
}

const memberColumns = {
  id: servers.id,
  name: servers.name,
  ip: servers.ip,
  address: servers.address,
  report: servers.fleet,
  capabilities: servers.capabilities,
};

/** What others must know of servers of the account. Unknown ones are left out. */
export async function findServerFacts(rows: AccountRows, ids: readonly ServerId[]) {
  return await rows.select(memberColumns, servers, { where: isOneOf(servers.id, ids) });
}

/** What a server must know of others. Two round trips; one if it works alone. */
export async function findFleetContent(rows: AccountRows, serverId: ServerId): Promise<FleetContent> {
  const shared = await findShared(rows, serverId);
  const ids = [...new Set(shared.flatMap(serversToNotify))];
  const members = ids.length === 0 ? [] : await findServerFacts(rows, ids);
  return fleetContent(serverId, shared, members);
}

/** A server, and where its objects are. */
export type ServerPlace = { readonly id: ServerId; readonly location: ServerLocation };

/** Where the objects of servers are. Unknown servers are left out. */
export async function findPlaces(rows: AccountRows, ids: readonly ServerId[]): Promise<ServerPlace[]> {
  const fields = { id: servers.id, location: locationOfServer };
  return await rows.select(fields, servers, { where: isOneOf(servers.id, ids) });
}
