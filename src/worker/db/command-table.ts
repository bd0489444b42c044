import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { AccountId, CommandId, ProjectId } from "#contract/ids.ts";

// As in schema.ts: times are Unix milliseconds, and only AccountRows reads and writes this table for requests.

/** Who ran which one-off commands. Their state and output are on the servers. */
export const commands = sqliteTable("commands", {
  id: text("id").$type<CommandId>().primaryKey(),
  accountId: text("account_id").$type<AccountId>().notNull(),
  projectId: text("project_id").$type<ProjectId>().notNull(),
  command: text("command").notNull(),
  timeoutSeconds: integer("timeout_seconds").notNull(),
  actor: text("actor", { mode: "json" }).$type<Actor>().notNull(),
  createdAt: integer("created_at").notNull(),
});
