import { and, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { Event, EventActor } from "#contract/endpoints/events/schemas.ts";
import type { EventId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { NewRow, OwnedTable } from "#worker/db/owned-tables.ts";
import { auditEntries, events, webhooks } from "#worker/db/event-tables.ts";
import { connections, invitations, members, trustRules } from "#worker/db/identity-tables.ts";
import { inSight } from "#worker/db/owned-tables.ts";
import { freezes, hooks } from "#worker/db/push-tables.ts";
import { deployments, projects, servers, tokens } from "#worker/db/schema.ts";

type WithoutCommon<Data> = Omit<Data, "sequence" | "actor">;
type Unnumbered<Of extends Event> = Of extends Event
  ? { readonly type: Of["type"]; readonly data: WithoutCommon<Of["data"]> }
  : never;

/** The type of an event and its data, without what its row adds to it. */
export type EventContent = Unnumbered<Event>;

/** An event before it has a number. `createdAt`: Unix milliseconds. */
export type NewEvent = EventContent & {
  readonly id: EventId;
  readonly actor: EventActor;
  readonly createdAt: number;
};

/** An entry of the audit log before it has a number. */
export type NewAuditEntry = Omit<NewRow<typeof auditEntries>, "sequence">;

/** An event whose data D1 computes. */
export type ComputedEvent = Omit<NewRow<typeof events>, "sequence" | "data">;

/** Whether the statement before this one in the same batch changed a row. */
export const HAS_CHANGED = sql`changes() > 0`;

/**
 * Adds an event and its audit entry, if the statement before them changed a row. Put them into the same batch, directly
 * after the statement that makes the change: then there is never a change without its event, nor an event without its
 * change. An event whose id exists is skipped, and its entry with it.
 */
export function changeWrites(
  rows: AccountRows,
  { event, audit }: { readonly event: NewEvent | null; readonly audit: NewAuditEntry | null },
): Write[] {
  return [
    ...(event === null ? [] : rows.insertNumbered(events, [eventRow(event)], events.sequence, HAS_CHANGED)),
    ...(audit === null ? [] : auditWrites(rows, [audit], HAS_CHANGED)),
  ];
}

/** As `changeWrites`, for one event with data that only D1 has. @param data JSON */
export function computedEventWrites(
  rows: AccountRows,
  event: ComputedEvent,
  data: SQL,
  onlyIf: SQL = HAS_CHANGED,
): Write[] {
  const row = { ...event, sequence: 0, data: {} };
  return rows.insertNumbered(events, [row], events.sequence, onlyIf, new Map([[events.data, data]]));
}

/** Adds entries in order. Entries whose ids exist are skipped. @param computed columns whose values D1 computes */
export function auditWrites(
  rows: AccountRows,
  added: readonly NewAuditEntry[],
  onlyIf = sql`true`,
  computed: ReadonlyMap<SQLiteColumn, SQL> = new Map(),
): Write[] {
  const entries = added.map((entry) => ({ ...entry, sequence: 0 }));
  return rows.insertNumbered(auditEntries, entries, auditEntries.sequence, onlyIf, computed);
}

/** Where D1 has the names of targets, as the entries of successful requests show them. */
const names: Partial<Record<AuditTarget["type"], readonly [OwnedTable, SQLiteColumn | SQL]>> = {
  connection: [connections, connections.name],
  deployment: [deployments, sql`'v' || ${deployments.version}`],
  freeze: [freezes, freezes.name],
  hook: [hooks, hooks.repository],
  invitation: [invitations, invitations.email],
  member: [members, members.name],
  project: [projects, projects.name],
  server: [servers, servers.name],
  token: [tokens, tokens.name],
  trust_rule: [trustRules, trustRules.name],
  webhook: [webhooks, webhooks.name],
};

/**
 * Adds the entry of a request that did not read what it is about: D1 adds the name. Every token that can see the entry's
 * project can read the entry, so it has no name of an object outside: a request can name its project and an id of another.
 */
export function unnamedEntryWrites(rows: AccountRows, entry: NewAuditEntry): Write[] {
  const { target = null, projectId = null } = entry;
  const [table, field] = (target === null ? undefined : names[target.type]) ?? [];
  if (target === null || table === undefined || field === undefined) return auditWrites(rows, [entry]);
  const one = sql`1`;
  const readers = { accountId: rows.accountId, projectIds: projectId === null ? null : [projectId] };
  const isNamed = and(sql`${table.id} = ${target.id}`, inSight(table, readers));
  const name = rows.firstNamed(field, table, isNamed, one);
  const named = sql`json_object('type', ${target.type}, 'id', ${target.id}, 'name', ${name})`;
  return auditWrites(rows, [entry], one, new Map([[auditEntries.target, named]]));
}

/** The row of an event, without its number. */
export function unnumberedRow({ id, type, actor, data, createdAt }: NewEvent) {
  const project = "project" in data ? data.project : null;
  return { id, projectId: project?.id ?? null, type, actor, data: { ...data }, createdAt };
}

/** The row of an event, with a number that the statement replaces. */
function eventRow(event: NewEvent): NewRow<typeof events> {
  return { ...unnumberedRow(event), sequence: 0 };
}
