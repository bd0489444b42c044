import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";

import type { auditSeals, webhooks } from "#worker/db/event-tables.ts";
import type { hooks } from "#worker/db/push-tables.ts";
import type {
  idempotencyKeys,
  projects,
  removedProjects,
  servers,
  signInCodes,
  tokens,
} from "#worker/db/schema.ts";

type TableOfProjects = SQLiteTable & {
  readonly id: SQLiteColumn;
  readonly accountId: SQLiteColumn;
  readonly projectId: SQLiteColumn;
};

/** A table, or an alias of one, whose rows each belong to one account. */
export type OwnedTable =
  | typeof auditSeals
  | typeof hooks
  | typeof idempotencyKeys
  | typeof projects
  | typeof removedProjects
  | typeof servers
  | typeof tokens
  | typeof webhooks
  | TableOfProjects;

/** A table whose rows are only counted and deleted through AccountRows. */
export type CountedTable = OwnedTable | typeof signInCodes;

/** A new row without its account, which AccountRows adds. */
export type NewRow<Table extends OwnedTable> = Omit<Table["$inferInsert"], "accountId">;

/** New values of columns, by the names of their fields. */
export type Changes<Table extends OwnedTable> = SQLiteUpdateSetSource<Table> & {
  readonly id?: never;
  readonly accountId?: never;
};
