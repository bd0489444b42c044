import { and, lt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";

import { KEY_COUNTS_MS } from "#worker/db/idempotency-keys.ts";
import { auditEntries, auditSeals, events } from "#worker/db/event-tables.ts";
import { orphanDeletion } from "#worker/db/projects/delete-project.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { idempotencyKeys, servers, signInCodes, tokens } from "#worker/db/schema.ts";
import { from, limited, prepare, remove, update } from "#worker/db/statements.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The most rows that one statement changes. The next step handles the rest. */
const MAX_ROWS = 1_000;

/** How long the row of a revoked token is kept, for investigations. */
const REVOKED_MS = DAY_MS;

/** How long events and pushes are kept, and how long entries of the audit log are. */
const EVENTS_MS = 90 * DAY_MS;
const AUDIT_MS = 400 * DAY_MS;

function expiringStatements(now: number): Readonly<Record<string, SQL>> {
  const some = (table: Swept, where: SQL | undefined) =>
    sql`${table.id} in (select ${table.id} ${from(table, where)}${limited(MAX_ROWS)})`;
  const removeSome = (table: Swept, where: SQL | undefined) => remove(table, some(table, where));
  const changeSome = <Table extends Swept>(
    table: Table,
    changes: SQLiteUpdateSetSource<Table>,
    where: SQL | undefined,
  ) => update(table, changes, some(table, where));
  const isOldEntry = lt(auditEntries.createdAt, now - AUDIT_MS);
  return {
    keys: removeSome(idempotencyKeys, lt(idempotencyKeys.createdAt, now - KEY_COUNTS_MS)),
    revoked: removeSome(tokens, lt(tokens.revokedAt, now - REVOKED_MS)),
    // The condition of the partial index is in the statement's text, not in a parameter: only then does SQLite use it.
    sessions: removeSome(tokens, and(sql`${tokens.kind} = 'session'`, lte(tokens.expiresAt, now))),
    codes: remove(signInCodes, lte(signInCodes.expiresAt, now)),
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
    ...orphanDeletion(MAX_ROWS),
    pushes: removeSome(pushes, lt(pushes.receivedAt, now - EVENTS_MS)),
    events: removeSome(events, and(lt(events.createdAt, now - EVENTS_MS), isNotNewest(events))),
    audit: removeSome(auditEntries, and(isOldEntry, isSealed, isNotNewest(auditEntries))),
  };
}

/** How many statements `removeExpired` makes. */
export const EXPIRING_STATEMENTS = 15;

/**
 * Deletes expired data of all accounts: idempotency keys older than a day, tokens that were revoked more than a day ago,
 * and expired sessions, sign-in codes, enrolment tokens and previous secrets; events and pushes older than 90 days, and
 * sealed entries of the audit log older than 400 days. The newest event and entry of an account are kept, because the
 * next one gets its number from them. Also what is left of deleted projects whose lanes do not know it, because the
 * database was restored. One D1 round trip.
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
  const due = Object.entries(expiringStatements(now)).filter(([name]) => only?.has(name) ?? true);
  if (due.length === 0) return [];
  const results = await database.batch(due.map(([, statement]) => prepare(database, statement)));
  return due.flatMap(([name], at) => (results[at]?.meta.changes === MAX_ROWS ? [name] : []));
}

type Swept =
  | typeof auditEntries
  | typeof events
  | typeof hooks
  | typeof idempotencyKeys
  | typeof pushes
  | typeof servers
  | typeof tokens;

/** Whether the account has a later row. The inner table has another name, and the outer one its own. */
function isNotNewest(table: typeof auditEntries | typeof events): SQL {
  return sql`exists (select 1 from ${table} as later where later.account_id = ${table.accountId} and later.sequence > ${table.sequence})`;
}

const isSealed = sql`${auditEntries.sequence} <= (select ${auditSeals.lastEntry} from ${auditSeals} where ${auditSeals.accountId} = ${auditEntries.accountId} order by ${auditSeals.number} desc limit 1)`;
