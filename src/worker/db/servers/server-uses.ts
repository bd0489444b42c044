import { and, eq, or, sql } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isPlacedOn } from "#worker/db/projects/list-projects.ts";
import { isOneOfServers } from "#worker/db/projects/project-servers.ts";
import { isBalancedBy } from "#worker/db/servers/shared-projects.ts";
import { isFronted, projects } from "#worker/db/schema.ts";
import { builderId } from "#worker/db/variables/sealing-servers.ts";

/**
 * What a server does for a project. `runs`: the project's settings have it as a server. `serves`: they do not, and the project
 * is still live or being deployed there.
 */
type ServerUse = "runs" | "serves" | "builds" | "balances";
export type UsingProject = { readonly name: string; readonly use: ServerUse };

/** The projects that keep a server from being deleted, by name. */
export async function findServerUses(rows: AccountRows, id: ServerId): Promise<UsingProject[]> {
  const isServer = or(eq(projects.serverId, id), isOneOfServers(rows, id));
  const isBalancer = and(isFronted(projects), isBalancedBy(id));
  const isBuilder = sql`${builderId} is ${id}`;
  const use = sql<ServerUse>`case when ${isServer} then 'runs' when ${isBalancer} then 'balances'
    when ${isBuilder} then 'builds' else 'serves' end`;
  return await rows.select({ name: projects.name, use }, projects, {
    where: or(isPlacedOn(rows, id), isBalancer, isBuilder),
    orderBy: [sql`${projects.name}`],
  });
}
