import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import * as z from "zod/mini";

import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { ServerId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { projects, servers } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";

const storedSealKey = storedAs(SealKey);

/** A server of a project. `sealKey` null: its agent has none. */
export type ServerToSealFor = { readonly serverId: ServerId; readonly sealKey: SealKey | null };

/** The seal key of the first server of the project in `projects`, as JSON; null: its agent has none. */
export function sealKeyOfServer(rows: AccountRows): SQL<string | null> {
  return rows.first<string>(servers.sealKey, servers, eq(servers.id, projects.serverId), sql`${servers.id}`);
}

/** As `sealKeyOfServer`, of the server in `project_servers`. */
function sealKeyOfOther(rows: AccountRows): SQL<string | null> {
  const isServer = eq(servers.id, projectServers.serverId);
  return rows.first<string>(servers.sealKey, servers, isServer, sql`${servers.id}`);
}

/** The servers of the project in `projects` besides the first one. A project with one server has none. */
const isOther = () =>
  and(eq(projectServers.projectId, projects.id), ne(projectServers.serverId, projects.serverId));

/**
 * The fingerprints of the seal keys of all servers of the project in `projects`, as a list in JSON; null for a server
 * without a key.
 */
export function fingerprintsOfServers(rows: AccountRows): SQL {
  const fingerprintIn = (key: SQL) => sql`(select ${key} ->> 'fingerprint')`;
  const others = rows.listNamed(fingerprintIn(sealKeyOfOther(rows)), projectServers, isOther());
  const all = sql`json_insert(${others}, '$[#]', ${fingerprintIn(sealKeyOfServer(rows))})`;
  return sql`iif(${builderId} is null, ${all}, json_insert(${all}, '$[#]', ${fingerprintIn(sealKeyOfBuilder(rows))}))`;
}

/** The server that builds for all in the project in `projects`; null: none does. */
export const builderId = sql<ServerId | null>`(${projects.settings} ->> 'build_on')`;

/** As `sealKeyOfServer`, of that server. */
function sealKeyOfBuilder(rows: AccountRows): SQL<string | null> {
  return rows.first<string>(servers.sealKey, servers, eq(servers.id, builderId), sql`${servers.id}`);
}

const Others = z.array(z.strictObject({ serverId: ServerId, sealKey: z.unknown() }));

/** Fields of the project in `projects`, for `serversToSealFor`. */
export function sealKeyFields(rows: AccountRows) {
  const key = sql`json(${sealKeyOfOther(rows)})`;
  const item = sql`json_object('serverId', ${projectServers.serverId}, 'sealKey', ${key})`;
  return {
    sealKey: sealKeyOfServer(rows),
    others: rows.listNamed(item, projectServers, isOther()),
    builder: builderId,
    builderKey: sealKeyOfBuilder(rows),
  };
}

/** What `sealKeyFields` reads. */
export type FoundSealKeys = {
  readonly serverId: ServerId;
  readonly sealKey: string | null;
  readonly others: unknown;
  readonly builder: ServerId | null;
  readonly builderKey: string | null;
};

/**
 * The servers that open a project's secrets, from `sealKeyFields`: its first one first, and last a server that only builds for
 * them. `members`: the ids of the servers on which it runs.
 */
export function serversToSealFor(found: FoundSealKeys): {
  readonly servers: readonly ServerToSealFor[];
  readonly members: readonly ServerId[];
} {
  const { serverId, sealKey, others, builder, builderKey } = found;
  const keyOf = (json: string | null) => (json === null ? null : storedSealKey.parse(parseJson(json)));
  const first = { serverId, sealKey: keyOf(sealKey) };
  const further = Others.parse(others).map((one) => ({
    serverId: one.serverId,
    sealKey: one.sealKey === null ? null : storedSealKey.parse(one.sealKey),
  }));
  const own = [first, ...further];
  const members = own.map((one) => one.serverId);
  const isOwn = builder === null || members.includes(builder);
  const builders = isOwn ? [] : [{ serverId: builder, sealKey: keyOf(builderKey) }];
  return { servers: [...own, ...builders], members };
}

/** The servers that open a project's secrets: its own, and last a server that only builds for them. */
export function withBuilder(members: readonly ServerId[], builder: ServerId | null): readonly ServerId[] {
  return builder === null || members.includes(builder) ? members : [...members, builder];
}

/** The servers of the account with these ids, in this order; null if the account does not have all of them. */
export async function findServersToSealFor(
  rows: AccountRows,
  ids: readonly ServerId[],
): Promise<ServerToSealFor[] | null> {
  const found = await rows.select({ serverId: servers.id, sealKey: servers.sealKey }, servers, {
    where: isOneOf(servers.id, ids),
  });
  const inOrder = ids.flatMap((id) => found.find(({ serverId }) => serverId === id) ?? []);
  return inOrder.length < ids.length ? null : inOrder;
}
