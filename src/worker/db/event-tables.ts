import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { AuditChanges, AuditOutcome, AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { EventActor, EventType } from "#contract/endpoints/events/schemas.ts";
import type { WebhookKind, WebhookState } from "#contract/endpoints/webhooks/kinds.ts";
import type { AccountId, AuditEntryId, EventId, ProjectId, WebhookId } from "#contract/ids.ts";

// The tables of events, webhooks and the audit log. The rules of schema.ts apply.

/** What has changed, for the API and for webhooks, kept for 90 days. The newest event of an account is always kept. */
export const events = sqliteTable(
  "events",
  {
    id: text("id").$type<EventId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    /** Null: the event is not about one project. */
    projectId: text("project_id").$type<ProjectId>(),
    /** Rises by one with each event of the account, in the order in which they were written. */
    sequence: integer("sequence").notNull(),
    type: text("type").$type<EventType>().notNull(),
    actor: text("actor", { mode: "json" }).$type<EventActor>().notNull(),
    /** The event's `data` without `sequence` and `actor`. */
    data: text("data", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("events_sequence").on(table.accountId, table.sequence),
    index("events_type").on(table.accountId, table.type, table.sequence),
    index("events_project").on(table.projectId, table.sequence),
    index("events_created").on(table.createdAt),
    index("events_project_type").on(table.projectId, table.type, table.sequence),
  ],
);

const memberId = sql`"actor" -> 'member' ->> 'id'`;

/** Who did what. Rows are only added; the schedule seals them in order. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: text("id").$type<AuditEntryId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    projectId: text("project_id").$type<ProjectId>(),
    /** As in `events`, with its own numbers. */
    sequence: integer("sequence").notNull(),
    createdAt: integer("created_at").notNull(),
    actor: text("actor", { mode: "json" }).$type<EventActor>().notNull(),
    /** Where the request came from; null: not from a request. */
    ip: text("ip"),
    requestId: text("request_id"),
    /** The name of the operation, as in the API reference. */
    action: text("action").notNull(),
    outcome: text("outcome").$type<AuditOutcome>().notNull(),
    /** The problem's code, if the request was refused. */
    code: text("code"),
    target: text("target", { mode: "json" }).$type<AuditTarget>(),
    changes: text("changes", { mode: "json" }).$type<AuditChanges>(),
  },
  (table) => [
    uniqueIndex("audit_entries_sequence").on(table.accountId, table.sequence),
    index("audit_entries_project").on(table.projectId, table.sequence),
    index("audit_entries_action").on(table.accountId, table.action, table.sequence),
    index("audit_entries_outcome").on(table.accountId, table.outcome, table.sequence),
    index("audit_entries_actor").on(table.accountId, sql`"actor" ->> 'id'`, table.sequence),
    index("audit_entries_target").on(table.accountId, sql`"target" ->> 'id'`, table.sequence),
    index("audit_entries_created").on(table.createdAt),
    index("audit_entries_project_action").on(table.projectId, table.action, table.sequence),
    index("audit_entries_project_outcome").on(table.projectId, table.outcome, table.sequence),
    index("audit_entries_project_actor").on(table.projectId, sql`"actor" ->> 'id'`, table.sequence),
    index("audit_entries_project_target").on(table.projectId, sql`"target" ->> 'id'`, table.sequence),
    // A member has a token for each session. Partial, so that other entries are not in them.
    index("audit_entries_member")
      .on(table.accountId, memberId, table.sequence)
      .where(sql`${memberId} is not null`),
    index("audit_entries_project_member")
      .on(table.projectId, memberId, table.sequence)
      .where(sql`${memberId} is not null`),
  ],
);

/** The chain of seals of the audit log. Each is in R2 too. Rows are only added, and kept after their entries. */
export const auditSeals = sqliteTable(
  "audit_seals",
  {
    /** The account's id and the seal's number, joined by `-`. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    number: integer("number").notNull(),
    firstEntry: integer("first_entry").notNull(),
    lastEntry: integer("last_entry").notNull(),
    /** SHA-256 in hex over all other columns and the hash of the seal before. */
    hash: text("hash").notNull(),
    sealedAt: integer("sealed_at").notNull(),
    /** SHA-256 in hex over the entries. */
    entriesHash: text("entries_hash").notNull(),
  },
  (table) => [
    uniqueIndex("audit_seals_number").on(table.accountId, table.number),
    index("audit_seals_last_entry").on(table.accountId, table.lastEntry),
  ],
);

/** The targets of events. Their secrets, and addresses that are secrets, are only in their Outlet. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text("id").$type<WebhookId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    kind: text("kind").$type<WebhookKind>().notNull(),
    name: text("name").notNull(),
    /** The address as it is shown: what is secret in it is masked. */
    shownUrl: text("shown_url").notNull(),
    /** Types of events, or patterns such as `deployment.*`. */
    events: text("events", { mode: "json" }).$type<string[]>().notNull(),
    /** The projects whose events it gets; null: all, and the events of the account. */
    projectIds: text("project_ids", { mode: "json" }).$type<ProjectId[]>(),
    state: text("state").$type<WebhookState>().notNull().default("active"),
    /** Why it was disabled, as a sentence. */
    disabledReason: text("disabled_reason"),
    /** Since when every attempt has failed; null: the last one did not. */
    failingSince: integer("failing_since"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("webhooks_account").on(table.accountId, table.id)],
);
