import { and, asc, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { AuditOutcome } from "#contract/endpoints/audit/schemas.ts";
import { type AccountId, MemberId, type ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { auditEntries, auditSeals } from "#worker/db/event-tables.ts";
import { byEach, wantedProjects } from "#worker/db/merged-lists.ts";
import { accounts } from "#worker/db/schema.ts";
import { newestFirst, type Position, type RowOf } from "#worker/db/reads.ts";

const entryFields = {
  id: auditEntries.id,
  projectId: auditEntries.projectId,
  sequence: auditEntries.sequence,
  createdAt: auditEntries.createdAt,
  actor: auditEntries.actor,
  ip: auditEntries.ip,
  requestId: auditEntries.requestId,
  action: auditEntries.action,
  outcome: auditEntries.outcome,
  code: auditEntries.code,
  target: auditEntries.target,
  changes: auditEntries.changes,
};
export type AuditRecord = Omit<typeof auditEntries.$inferSelect, "accountId">;

/** As `entryFields`, with the values as they are stored: JSON as its text. */
const storedFields = {
  id: stored(auditEntries.id),
  projectId: stored(auditEntries.projectId),
  sequence: auditEntries.sequence,
  createdAt: stored(auditEntries.createdAt),
  actor: stored(auditEntries.actor),
  ip: stored(auditEntries.ip),
  requestId: stored(auditEntries.requestId),
  action: stored(auditEntries.action),
  outcome: stored(auditEntries.outcome),
  code: stored(auditEntries.code),
  target: stored(auditEntries.target),
  changes: stored(auditEntries.changes),
} satisfies Record<keyof AuditRecord, unknown>;
/** A row for the export and for seals, in which each stored value has a form of its own. */
export type StoredAuditRecord = RowOf<typeof storedFields>;

/** A value of another type than the column's, which only an edit of the database can cause, is read as SQL text. */
function stored(column: SQLiteColumn): SQL<string | number | null> {
  const type = sql.raw(`'${column.getSQLType()}'`);
  return sql`iif(typeof(${column}) in (${type}, 'null'), ${column}, quote(${column}))`;
}

const sealFields = {
  id: stored(auditSeals.id),
  number: auditSeals.number,
  firstEntry: stored(auditSeals.firstEntry),
  lastEntry: stored(auditSeals.lastEntry),
  entriesHash: stored(auditSeals.entriesHash),
  hash: stored(auditSeals.hash),
  sealedAt: stored(auditSeals.sealedAt),
} satisfies Record<keyof Omit<typeof auditSeals.$inferSelect, "accountId">, unknown>;
/** The row of a seal, as it is stored. */
export type StoredSealRecord = RowOf<typeof sealFields>;

const others = alias(auditEntries, "others");

/** undefined: no limit. */
export type AuditFilter = {
  readonly action: string | undefined;
  readonly outcome: AuditOutcome | undefined;
  readonly actorId: string | undefined;
  readonly targetId: string | undefined;
  readonly projectId: ProjectId | undefined;
};

/** Entries of the audit log, newest first. */
export async function listAuditEntries(
  rows: AccountRows,
  filter: AuditFilter,
  position: Position<number>,
): Promise<AuditRecord[]> {
  const lists = listsOf(rows, filter, false);
  if (lists !== null) return await rows.selectMerged(entryFields, auditEntries, lists, position);
  const isMatch = matches(auditEntries, filter);
  if (isMatch === undefined)
    return await rows.page(entryFields, auditEntries, auditEntries.sequence, position);
  const selection = newestFirst(auditEntries.sequence, position, isMatch);
  return await rows.select(entryFields, auditEntries, selection);
}

/**
 * Entries after a number as they are stored, oldest first. null: from the first one. It may have a number below 1 if
 * somebody has edited the database: the verification must see whatever the list shows.
 */
export async function readAuditEntries(
  rows: AccountRows,
  filter: AuditFilter,
  after: number | null,
  limit: number,
): Promise<StoredAuditRecord[]> {
  const { sequence } = auditEntries;
  const lists = listsOf(rows, filter, true);
  if (lists !== null) {
    const position = { after: after ?? Number.MIN_SAFE_INTEGER, limit };
    return await rows.selectMerged(storedFields, auditEntries, lists, position);
  }
  const isAfter = after === null ? undefined : gt(sequence, after);
  const where = and(isAfter, matches(auditEntries, filter));
  return await rows.select(storedFields, auditEntries, { where, orderBy: [asc(sequence)], limit });
}

/** A list for each project that the filter or the token names; null: neither names any. */
function listsOf(rows: AccountRows, filter: AuditFilter, isOldestFirst: boolean) {
  const projects = wantedProjects(rows, filter.projectId);
  if (projects === null) return null;
  const given = { matches: matches(others, filter), isOldestFirst };
  return { ...byEach(rows, others, [[others.projectId, projects]], given), key: auditEntries.sequence };
}

/** Seals, newest first. */
export async function listAuditSeals(
  rows: AccountRows,
  position: Position<number>,
): Promise<StoredSealRecord[]> {
  return await rows.page(sealFields, auditSeals, auditSeals.number, position);
}

/** The last seal, and the first entries after it as they are stored. One round trip. */
export async function readUnsealed(
  rows: AccountRows,
  limit: number,
): Promise<{ last: StoredSealRecord | null; entries: StoredAuditRecord[] }> {
  const sealed = rows.first(auditSeals.lastEntry, auditSeals, undefined, desc(auditSeals.number));
  const where = gt(auditEntries.sequence, sql`coalesce((${sealed}), 0)`);
  const [[last], entries] = await rows.selectBoth(
    [sealFields, auditSeals, { orderBy: [desc(auditSeals.number)], limit: 1 }],
    [storedFields, auditEntries, { where, orderBy: [asc(auditEntries.sequence)], limit }],
  );
  return { last: last ?? null, entries };
}

/** @param id of a member, or of a token, hook or server */
function isBy(actor: SQLiteColumn, id: string): SQL {
  const isMember = MemberId.safeParse(id).success;
  return eq(isMember ? sql`${actor} -> 'member' ->> 'id'` : sql`${actor} ->> 'id'`, id);
}

// Each of these expressions has an index with the account and one with the project.
function matches(
  { action, outcome, actor, target }: typeof auditEntries | typeof others,
  filter: Omit<AuditFilter, "projectId">,
) {
  return and(
    filter.action === undefined ? undefined : eq(action, filter.action),
    filter.outcome === undefined ? undefined : eq(outcome, filter.outcome),
    filter.actorId === undefined ? undefined : isBy(actor, filter.actorId),
    filter.targetId === undefined ? undefined : eq(sql`${target} ->> 'id'`, filter.targetId),
  );
}

/**
 * Accounts whose audit log has entries from before a time after its last seal. Accounts whose seal is oldest
 * come first: busy accounts always have new entries, and must not keep the others waiting. Reads a few rows of each
 * account by index.
 *
 * @param before Unix milliseconds
 * @param skipped how many of them to leave out
 */
export async function findUnsealedAccounts(
  database: D1Database,
  before: number,
  limit: number,
  skipped = 0,
): Promise<AccountId[]> {
  const ofLast = (value: SQLiteColumn) =>
    sql`(select ${value} from ${auditSeals} where ${auditSeals.accountId} = ${accounts.id} order by ${auditSeals.number} desc limit 1)`;
  const isNext = sql`${auditEntries.accountId} = ${accounts.id} and ${auditEntries.sequence} > coalesce(${ofLast(auditSeals.lastEntry)}, 0)`;
  const nextAt = sql`(select ${auditEntries.createdAt} from ${auditEntries} where ${isNext} order by ${auditEntries.sequence} limit 1)`;
  const rows = await drizzle(database)
    .select({ id: accounts.id })
    .from(accounts)
    .where(sql`${nextAt} <= ${before}`)
    .orderBy(sql`coalesce(${ofLast(auditSeals.sealedAt)}, 0)`, accounts.id)
    .limit(limit)
    .offset(skipped);
  return rows.map(({ id }) => id);
}
