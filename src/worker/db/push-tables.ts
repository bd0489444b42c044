import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";

import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";
import type { LedgerDecision, HookForge, PushSource } from "#contract/endpoints/hooks/push-decisions.ts";
import type { AccountId, DeploymentId, FreezeId, HookId, ProjectId, PushId } from "#contract/ids.ts";

// The tables of pushes that come in, and of freezes. The rules of schema.ts apply.

/** The addresses to which forges report pushes, one for each repository. */
export const hooks = sqliteTable(
  "hooks",
  {
    id: text("id").$type<HookId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    forge: text("forge").$type<HookForge>().notNull(),
    repository: text("repository").notNull(),
    repositoryKey: text("repository_key").notNull(),
    /** Each delivery is checked with it, so it cannot be a hash. */
    secret: text("secret").notNull(),
    previousSecret: text("previous_secret"),
    previousExpiresAt: integer("previous_expires_at"),
    createdAt: integer("created_at").notNull(),
    /** The last authentic delivery, and the last refused one with its reason. */
    receivedAt: integer("received_at"),
    refusedAt: integer("refused_at"),
    refusedReason: text("refused_reason").$type<LedgerDecision["reason"]>(),
  },
  (table) => [
    unique("hooks_repository").on(table.accountId, table.repositoryKey),
    index("hooks_account").on(table.accountId, table.id),
    index("hooks_previous_expires")
      .on(table.previousExpiresAt)
      .where(sql`${table.previousExpiresAt} is not null`),
  ],
);

/** The ledger: a row for each delivery and project, with what was decided. Kept for 90 days. */
export const pushes = sqliteTable(
  "pushes",
  {
    id: text("id").$type<PushId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    /** Null: the agent found the push, and the repository has no hook. */
    hookId: text("hook_id").$type<HookId>(),
    /** Null: the delivery concerned no project. */
    projectId: text("project_id").$type<ProjectId>(),
    source: text("source").$type<PushSource>().notNull(),
    receivedAt: integer("received_at").notNull(),
    /** The forge's id of the delivery; it is not signed. */
    deliveryId: text("delivery_id"),
    event: text("event"),
    ref: text("ref"),
    before: text("before"),
    after: text("after"),
    /** The first line of the head commit's message. */
    headline: text("headline"),
    pusher: text("pusher"),
    /** SHA-256 in hex of the signed body. */
    bodyHash: text("body_hash"),
    /** The changed files, if the delivery listed all of them. */
    paths: text("paths", { mode: "json" }).$type<string[]>(),
    decision: text("decision").$type<LedgerDecision["decision"]>().notNull(),
    reason: text("reason").$type<LedgerDecision["reason"]>(),
    /** What the reason means here, as a sentence. */
    detail: text("detail"),
    deploymentId: text("deployment_id").$type<DeploymentId>(),
    /** The commit that was live when the project's paths skipped the push; null: they did not. */
    liveSha: text("live_sha"),
    /** How many deliveries this row stands for: refused ones are counted per hour. */
    count: integer("count").notNull().default(1),
  },
  (table) => [
    index("pushes_hook").on(table.hookId, table.id),
    index("pushes_body").on(table.hookId, table.bodyHash),
    index("pushes_project").on(table.projectId, table.id),
    index("pushes_account").on(table.accountId, table.id),
    index("pushes_received").on(table.receivedAt),
    index("pushes_ref").on(table.projectId, table.ref, table.id),
    index("pushes_counted")
      .on(table.hookId, table.receivedAt)
      .where(sql`${table.projectId} is null`),
    index("pushes_skipped")
      .on(table.projectId, table.liveSha, table.after)
      .where(sql`${table.liveSha} is not null`),
    index("pushes_unread")
      .on(table.projectId, table.id)
      .where(sql`${table.reason} = 'repository_unread'`),
  ],
);

/** Times in which deployments wait. */
export const freezes = sqliteTable(
  "freezes",
  {
    id: text("id").$type<FreezeId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    /** Null: the freeze holds all projects of the account. */
    projectId: text("project_id").$type<ProjectId>(),
    name: text("name").notNull(),
    times: text("times", { mode: "json" }).$type<FreezeTimes>().notNull(),
    createdAt: integer("created_at").notNull(),
    /** Null: an older version has stored it. */
    createdBy: text("created_by", { mode: "json" }).$type<Actor>(),
  },
  (table) => [index("freezes_account").on(table.accountId, table.id)],
);
