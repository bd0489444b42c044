import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { HealthReason } from "#contract/endpoints/projects/health.ts";
import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import type { AccountId, ProjectId, ServerId } from "#contract/ids.ts";

// What belongs to projects besides their rows. The rules of schema.ts apply.

/**
 * The servers of projects that have several, with what their agents report about them. A project with one server has no row.
 * Which processes run where is in the project's setting `servers`.
 */
export const projectServers = sqliteTable(
  "project_servers",
  {
    /** The project's id, `/` and the server's id. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    projectId: text("project_id").$type<ProjectId>().notNull(),
    serverId: text("server_id").$type<ServerId>().notNull(),
    // As in `projects`.
    url: text("url"),
    servingRelease: integer("serving_release"),
    servingCheckedAt: integer("serving_checked_at"),
    reportedProcesses: text("reported_processes", { mode: "json" }).$type<ProcessReport[]>(),
    ingressProblem: text("ingress_problem"),
    health: text("health", { mode: "json" }).$type<HealthReason[]>(),
    deployKey: text("deploy_key", { mode: "json" }).$type<DeployKeySummary>(),
  },
  (table) => [
    index("project_servers_project").on(table.projectId),
    index("project_servers_server").on(table.accountId, table.serverId),
  ],
);

/** The host names of all projects, so that each leads to one project. */
export const domains = sqliteTable(
  "domains",
  {
    /** The host name. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    projectId: text("project_id").$type<ProjectId>().notNull(),
  },
  (table) => [index("domains_project").on(table.projectId)],
);

/**
 * Deleted projects that still have rows in other tables, which are deleted in batches. These rows are not visible,
 * because the row of the project is gone.
 */
export const removedProjects = sqliteTable("removed_projects", {
  id: text("id").$type<ProjectId>().primaryKey(),
  accountId: text("account_id").$type<AccountId>().notNull(),
});
