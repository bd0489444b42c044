import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { ChangedBy, SealedValue } from "#contract/endpoints/variables/schemas.ts";
import type { AccountId, ProjectId } from "#contract/ids.ts";

// As in schema.ts: times are Unix milliseconds, and only AccountRows reads and writes these tables for requests.

/** The changes of the variables of a project, numbered. Values are in `variables`. */
export const variableRevisions = sqliteTable("variable_revisions", {
  /** The project's id and the revision, so that each number is used once (`revision-writes.ts`). */
  id: text("id").primaryKey(),
  accountId: text("account_id").$type<AccountId>().notNull(),
  projectId: text("project_id").$type<ProjectId>().notNull(),
  revision: integer("revision").notNull(),
  changedAt: integer("changed_at").notNull(),
  changedBy: text("changed_by", { mode: "json" }).$type<ChangedBy>().notNull(),
  /** The names of the variables that were set, and of those that were removed. */
  setNames: text("set_names", { mode: "json" }).$type<string[]>().notNull(),
  removedNames: text("removed_names", { mode: "json" }).$type<string[]>().notNull(),
});

/**
 * The variables of the projects, also earlier ones: a row counts from `revision` until before `until`. Rows are never
 * changed, except that a revision that replaces or removes a variable sets `until`.
 */
export const variables = sqliteTable("variables", {
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
  sealed: text("sealed", { mode: "json" }).$type<SealedValue[]>(),
});
