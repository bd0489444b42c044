import { and, eq, gt, isNull, ne, or, type SQL, sql } from "drizzle-orm";

import { MAX_CONNECTIONS } from "#contract/endpoints/connections/schemas.ts";
import type { AccountId, ConnectionId, ProjectId, TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { Database } from "#worker/db/database-session.ts";
import { connections, identities, members } from "#worker/db/identity-tables.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/list-projects.ts";
import { read, readerOf, select } from "#worker/db/reads.ts";
import { accounts, tokens } from "#worker/db/schema.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** The fields of a ConnectionReading. */
const connectionFields = {
  id: connections.id,
  kind: connections.kind,
  name: connections.name,
  issuer: connections.issuer,
  clientId: connections.clientId,
  clientSecret: connections.clientSecret,
  scopes: connections.scopes,
  groupsClaim: connections.groupsClaim,
  groupGrants: connections.groupGrants,
  syncGrants: connections.syncGrants,
  joinPolicy: connections.joinPolicy,
  domains: connections.domains,
  joinGrants: connections.joinGrants,
  isForced: connections.isForced,
  sessionHours: connections.sessionHours,
  tokenDays: connections.tokenDays,
  createdAt: connections.createdAt,
  lastUsedAt: connections.lastUsedAt,
};

/** A connection's row in D1, with its secret. Times are Unix milliseconds. */
export type ConnectionReading = Pick<typeof connections.$inferSelect, keyof typeof connectionFields>;

/** The account's connections, the oldest first. */
export async function listConnections(rows: AccountRows): Promise<ConnectionReading[]> {
  return await rows.select(connectionFields, connections, { orderBy: [connections.id.getSQL()] });
}

/** The account's connection with this id; null: there is none. */
export async function findConnection(rows: AccountRows, id: ConnectionId): Promise<ConnectionReading | null> {
  return await rows.find(connectionFields, connections, id);
}

const openFields = {
  ...connectionFields,
  accountId: connections.accountId,
  isOtherForced: sql<number>`exists (select 1 from ${connections} as other where other.account_id = ${connections.accountId} and other.is_forced = 1 and other.id <> ${connections.id})`,
};

/** A connection with its account, and whether another one is forced. */
export type OpenConnection = ConnectionReading & {
  readonly accountId: AccountId;
  readonly isOtherForced: boolean;
};

/** The connection with this id; null: there is none. It names no account, because it finds out which one it is. */
export async function findOpenConnection(
  database: Database,
  id: ConnectionId,
): Promise<OpenConnection | null> {
  const [found] = await read(
    database,
    select<typeof openFields>(readerOf(openFields), (cells) =>
      cells.from(connections).where(eq(connections.id, id)),
    ),
  );
  return found === undefined ? null : { ...found, isOtherForced: found.isOtherForced === 1 };
}

const offeredFields = { id: connections.id, kind: connections.kind, name: connections.name };

/**
 * The connections that anybody may know of: all if the installation has one account, otherwise all connections with this domain.
 * @param domain null: none was given
 */
export async function offeredConnections(database: Database, domain: string | null) {
  const isOnlyAccount = sql`(select count(*) from (select 1 from ${accounts} limit 2)) = 1`;
  const isListed = sql`exists (select 1 from json_each(${connections.domains}) where value = ${domain})`;
  return await read(
    database,
    select<typeof offeredFields>(readerOf(offeredFields), (cells) =>
      cells.from(connections).where(or(isOnlyAccount, isListed)).orderBy(connections.id),
    ),
  );
}

/** The account's connections, as an invited person may know of them. */
export async function connectionsOf(database: Database, accountId: AccountId) {
  return await read(
    database,
    select<typeof offeredFields>(readerOf(offeredFields), (cells) =>
      cells.from(connections).where(eq(connections.accountId, accountId)).orderBy(connections.id),
    ),
  );
}

/** Whether members of a row's account who are not owners must use single sign-on, as a field: 0 or 1. */
export function requiresSso(accountId: SQL): SQL<number> {
  return sql<number>`exists (select 1 from ${connections} where ${connections.accountId} = ${accountId} and ${connections.isForced} = 1)`;
}

// `recorded`: what records the change (`requestWrites`), in the same batch.

type ConnectionInsertion =
  | { readonly outcome: "inserted"; readonly connection: ConnectionReading }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] }
  | { readonly outcome: "too_many" };

/**
 * Adds a connection if the account has the projects of its grants (each listed once). If an earlier try of the same request has added
 * it, returns that connection.
 */
export async function insertConnection(
  rows: AccountRows,
  connection: ConnectionReading,
  wanted: readonly ProjectId[],
  recorded: readonly Write[],
): Promise<ConnectionInsertion> {
  const hasRoom = sql`${rows.countAll(connections)} < ${MAX_CONNECTIONS}`;
  const insert = rows.insert(connections, connection, sql`${hasProjects(rows, wanted)} and ${hasRoom}`);
  try {
    const [inserted] = await rows.runTogether([insert, ...recorded]);
    if (inserted === 1) return { outcome: "inserted", connection };
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
  const added = await findConnection(rows, connection.id);
  if (added !== null) return { outcome: "inserted", connection: added };
  const unknown = await unknownProjects(rows, wanted);
  return unknown.length > 0 ? { outcome: "no_such_projects", projectIds: unknown } : { outcome: "too_many" };
}

/** Undefined fields keep their values. */
export type ConnectionChanges = {
  readonly [Name in Exclude<keyof ConnectionReading, "id" | "kind" | "issuer" | "createdAt" | "lastUsedAt">]:
    | ConnectionReading[Name]
    | undefined;
};

/** A session that has just been confirmed by a connection. Times are Unix milliseconds. */
export type Proof = { readonly tokenId: TokenId; readonly since: number; readonly now: number };

/**
 * Changes a connection if the account has the projects of its new grants.
 * @param proof the session that must have been confirmed by the connection, which is forced then: the sessions of others end; null: it
 * is not
 * @returns false if the connection is gone, or a condition is not met
 */
export async function changeConnection(
  rows: AccountRows,
  id: ConnectionId,
  changes: ConnectionChanges,
  wanted: readonly ProjectId[],
  proof: Proof | null,
  recorded: readonly Write[],
): Promise<boolean> {
  const isPossible = and(
    eq(connections.id, id),
    wanted.length > 0 ? hasProjects(rows, wanted) : undefined,
    proof === null ? undefined : sql`${rows.countAll(tokens, isProof(id, proof))} = 1`,
  );
  const [changed] = await rows.runTogether([
    rows.update(connections, changes, isPossible),
    ...recorded,
    ...(proof === null ? [] : [endOtherSessions(rows, proof.now)]),
  ]);
  return changed === 1;
}

function isProof(id: ConnectionId, { tokenId, since }: Proof): SQL | undefined {
  return and(eq(tokens.id, tokenId), eq(tokens.connectionId, id), gt(tokens.authenticatedAt, since));
}

/** Whether a session was confirmed by a connection. */
export async function hasProof(rows: AccountRows, id: ConnectionId, proof: Proof): Promise<boolean> {
  const found = await rows.select({ id: tokens.id }, tokens, {
    where: isProof(id, proof),
    isNamed: true,
    limit: 1,
  });
  return found.length === 1;
}

/** Ends the sessions of members who are not owners, except those by connections that are forced, if one is. */
function endOtherSessions(rows: AccountRows, now: number): Write {
  const others = rows.column(members.id, members, eq(members.isOwner, false));
  const forced = rows.column(connections.id, connections, eq(connections.isForced, true));
  const isOther = or(isNull(tokens.connectionId), sql`${tokens.connectionId} not in (${forced})`);
  const isForced = sql`${rows.countAll(connections, eq(connections.isForced, true))} > 0`;
  const where = and(
    eq(tokens.kind, "session"),
    isNull(tokens.revokedAt),
    sql`${tokens.memberId} in (${others})`,
    isOther,
    isForced,
  );
  return rows.update(tokens, { revokedAt: now }, where);
}

/** The sessions that have ended at this time (Unix milliseconds). */
export async function sessionsEndedAt(rows: AccountRows, now: number): Promise<TokenId[]> {
  const where = and(eq(tokens.revokedAt, now), eq(tokens.kind, "session"));
  return (await rows.select({ id: tokens.id }, tokens, { where })).map(({ id }) => id);
}

/**
 * Deletes a connection with its identities, and ends the sessions that it gave.
 * @param except the session of the request, which stays
 * @param now Unix milliseconds
 * @returns false if it does not exist
 */
export async function removeConnection(
  rows: AccountRows,
  id: ConnectionId,
  except: TokenId,
  now: number,
  recorded: readonly Write[],
): Promise<boolean> {
  const isOfIt = and(eq(tokens.connectionId, id), isNull(tokens.revokedAt), ne(tokens.id, except));
  const [removed] = await rows.runTogether([
    rows.delete(connections, eq(connections.id, id)),
    ...recorded,
    rows.delete(identities, eq(identities.connectionId, id)),
    rows.update(tokens, { revokedAt: now }, isOfIt),
  ]);
  return removed === 1;
}
