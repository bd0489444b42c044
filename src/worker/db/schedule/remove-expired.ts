import { and, lt, lte, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";

import { AUDIT_RETENTION_DAYS } from "#contract/endpoints/audit/retention.ts";
import { auditEntries, auditSeals, events } from "#worker/db/event-tables.ts";
import { connectGrants, invitations, signInCodes, usedSecrets } from "#worker/db/identity-tables.ts";
import { KEY_COUNTS_MS } from "#worker/db/idempotency-keys.ts";
import { orphanDeletion } from "#worker/db/projects/delete-project.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { accounts, idempotencyKeys, servers, tokens } from "#worker/db/schema.ts";
import { type Built, limited, prepare, qb } from "#worker/db/statements.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The most rows that one statement changes. The next step handles the rest. */
const MAX_ROWS = 1_000;

/** How long the row of a revoked token is kept, for investigations. */
const REVOKED_MS = DAY_MS;

/** How long events and pushes are kept, and how long entries of the audit log are, after they were sealed. */
const EVENTS_MS = 90 * DAY_MS;
const AUDIT_MS = AUDIT_RETENTION_DAYS * DAY_MS;

function expiringStatements(database: D1Database, now: number): Readonly<Record<string, Built>> {
  const db = drizzle(database);
  const some = (table: Swept, where: SQL | undefined) =>
    sql`${table.id} in (${qb.select({ id: table.id }).from(table).where(where).getSQL()}${limited(MAX_ROWS)})`;
  const removeSome = (table: Swept, where: SQL | undefined) => db.delete(table).where(some(table, where));
  const changeSome = <Table extends Swept>(
    table: Table,
    changes: SQLiteUpdateSetSource<Table>,
    where: SQL | undefined,
  ) => db.update(table).set(changes).where(some(table, where));
  return {
    keys: removeSome(idempotencyKeys, lt(idempotencyKeys.createdAt, now - KEY_COUNTS_MS)),
    revoked: removeSome(tokens, lt(tokens.revokedAt, now - REVOKED_MS)),
    // The condition of the partial index is in the statement's text, not in a parameter: only then does SQLite use it.
    sessions: removeSome(tokens, and(sql`${tokens.kind} = 'session'`, lte(tokens.expiresAt, now))),
    exchanged: removeSome(tokens, and(sql`${tokens.kind} = 'exchange'`, lte(tokens.expiresAt, now))),
    connects: removeSome(connectGrants, lte(connectGrants.expiresAt, now)),
    used: removeSome(usedSecrets, lte(usedSecrets.expiresAt, now)),
    invitations: removeSome(invitations, lte(invitations.expiresAt, now)),
    codes: db.delete(signInCodes).where(lte(signInCodes.expiresAt, now)),
    rotated: changeSome(
      tokens,
      { previousHash: null, previousExpiresAt: null },
      lte(tokens.previousExpiresAt, now),
    ),
    hooks: changeSome(
      hooks,
      { previousSecret: null, previousExpiresAt: null },
      lte(hooks.previousExpiresAt, now),
    ),
    enrollments: changeSome(
      servers,
      { enrollmentHash: null, enrollmentExpiresAt: null, enrollmentMadeBy: null },
      lte(servers.enrollmentExpiresAt, now),
    ),
    ...orphanDeletion(db, MAX_ROWS),
    pushes: removeSome(pushes, lt(pushes.receivedAt, now - EVENTS_MS)),
    events: removeSome(events, and(lt(events.createdAt, now - EVENTS_MS), isNotNewest)),
    audit: db.delete(auditEntries).where(isOfOldSeal(now - AUDIT_MS)),
  };
}

/** How many statements `removeExpired` makes. */
export const EXPIRING_STATEMENTS = 19;

/**
 * Deletes expired data of all accounts: idempotency keys older than a day, tokens that were revoked more than a day ago,
 * and expired sessions, tokens of jobs, tokens that no command took, invitations, sign-in codes, enrolment tokens, previous secrets and used single-use secrets; events and pushes older than 90 days, and
 * entries of the audit log that were sealed more than 400 days ago. The newest event of an account and the entries of its
 * newest seal are kept, because the next one gets its number from them. Also what is left of deleted projects whose lanes
 * do not know it, because the database was restored. One D1 round trip.
 *
 * @param now Unix milliseconds
 * @param only the kinds to delete, by the names that an earlier call returned; null: all
 * @returns the names of the kinds of which more rows may be left
 */
export async function removeExpired(
  database: D1Database,
  now: number,
  only: ReadonlySet<string> | null = null,
): Promise<string[]> {
  const due = Object.entries(expiringStatements(database, now)).filter(([name]) => only?.has(name) ?? true);
  if (due.length === 0) return [];
  const results = await database.batch(due.map(([, statement]) => prepare(database, statement)));
  return due.flatMap(([name], at) => {
    const changes = results[at]?.meta.changes ?? 0;
    // Entries of the audit log are deleted with their seals, so they are rarely exactly so many.
    return changes === MAX_ROWS || (name === "audit" && changes > 0) ? [name] : [];
  });
}

type Swept =
  | typeof connectGrants
  | typeof events
  | typeof hooks
  | typeof idempotencyKeys
  | typeof invitations
  | typeof pushes
  | typeof servers
  | typeof tokens
  | typeof usedSecrets;

/** Whether the account has a later event. The inner table has another name, and the outer one its own. */
const isNotNewest = sql`exists (select 1 from ${events} as later where later.account_id = ${events.accountId} and later.sequence > ${events.sequence})`;

/**
 * Whether an entry belongs to the first seal of its account that still has entries, if that seal is from before a time and
 * is not the newest one. So the entries of a seal are deleted together: the rest of them could not be verified. Reads a
 * few rows of each account by index.
 */
function isOfOldSeal(before: number): SQL {
  const oldest = sql`(select min(kept.sequence) from ${auditEntries} as kept where kept.account_id = accounts.id)`;
  const next = sql`(select next.last_entry from ${auditSeals} as next where next.account_id = accounts.id and next.last_entry >= ${oldest} order by next.last_entry${limited(1)})`;
  const hasLater = sql`exists (select 1 from ${auditSeals} as later where later.account_id = accounts.id and later.number > seal.number)`;
  const due = sql`select seal.account_id, seal.first_entry, seal.last_entry, sum(seal.last_entry - seal.first_entry + 1) over (order by seal.sealed_at, seal.id) as entries from ${accounts} cross join ${auditSeals} as seal where seal.account_id = accounts.id and seal.last_entry = ${next} and seal.sealed_at < ${before} and seal.last_entry - seal.first_entry < ${sql.raw(`${MAX_ROWS}`)} and ${hasLater}`;
  return sql`${auditEntries.id} in (select old.id from (${due}) as due cross join ${auditEntries} as old where old.account_id = due.account_id and old.sequence between due.first_entry and due.last_entry and due.entries <= ${sql.raw(`${MAX_ROWS}`)})`;
}
