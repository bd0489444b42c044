import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { ChangedBy } from "#contract/endpoints/variables/schemas.ts";
import type { AccountId, CommandId, ProjectId, ServerId } from "#contract/ids.ts";
import type { StoredSecret } from "#domain/sealed-secret.ts";

// The tables of variables and of one-off commands. The rules of schema.ts apply.

/** The changes of the variables of a project, numbered. Values are in `variables`. */
export const variableRevisions = sqliteTable(
  "variable_revisions",
  {
    /** The project's id and the revision, so that each number is used once (`revision-writes.ts`). */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    projectId: text("project_id").$type<ProjectId>().notNull(),
    revision: integer("revision").notNull(),
    changedAt: integer("changed_at").notNull(),
    changedBy: text("changed_by", { mode: "json" }).$type<ChangedBy>().notNull(),
    /** The names of the variables that were set, and of the variables that were removed. */
    setNames: text("set_names", { mode: "json" }).$type<string[]>().notNull(),
    removedNames: text("removed_names", { mode: "json" }).$type<string[]>().notNull(),
  },
  (table) => [index("variable_revisions_project").on(table.projectId, table.revision)],
);

/**
 * The variables of the projects, also earlier ones: a row counts from `revision` until before `until`. Rows are never
 * changed, except that a revision that replaces or removes a variable sets `until`.
 */
export const variables = sqliteTable(
  "variables",
  {
    /** The project's id, the name and the revision. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    projectId: text("project_id").$type<ProjectId>().notNull(),
    name: text("name").notNull(),
    /** The revision that set the variable. */
    revision: integer("revision").notNull(),
    /** The revision that replaced or removed the variable; null: it is current. */
    until: integer("until"),
    changedAt: integer("changed_at").notNull(),
    changedBy: text("changed_by", { mode: "json" }).$type<ChangedBy>().notNull(),
    secret: integer("secret", { mode: "boolean" }).notNull(),
    /** Whether builds get the secret. */
    build: integer("build", { mode: "boolean" }).notNull(),
    /** The value of a plain variable; null for a secret. */
    value: text("value"),
    /** The value of a secret, sealed for one or more servers; null for a plain variable. */
    sealed: text("sealed", { mode: "json" }).$type<StoredSecret>(),
  },
  (table) => [
    index("variables_project").on(table.projectId, table.until),
    uniqueIndex("variables_current")
      .on(table.projectId, table.name)
      .where(sql`${table.until} is null`),
  ],
);

/** Who ran which one-off commands. Their state and output are on the servers. */
export const commands = sqliteTable(
  "commands",
  {
    id: text("id").$type<CommandId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    projectId: text("project_id").$type<ProjectId>().notNull(),
    /** Null: written before a project could have several servers. */
    serverId: text("server_id").$type<ServerId>(),
    command: text("command").notNull(),
    timeoutSeconds: integer("timeout_seconds").notNull(),
    actor: text("actor", { mode: "json" }).$type<Actor>().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("commands_project").on(table.projectId, table.id)],
);
