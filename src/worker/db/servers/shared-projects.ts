import { and, eq, or, type SQL, sql } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isPlacedOn } from "#worker/db/projects/list-projects.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { isFronted, projects, type servers } from "#worker/db/schema.ts";

/** Whether a server is a balancer of the project in `projects`. */
export function isBalancedBy(serverId: ServerId | typeof servers.id): SQL {
  const balancer = sql`select 1 from json_each(${projects.settings}, '$.entry.balancers') as balancer`;
  return sql`exists (${balancer} where balancer.value = ${serverId})`;
}

/** Whether a server balances the project in `projects`, or serves it behind something else. */
export function isFrontedAt(rows: AccountRows, serverId: ServerId): SQL | undefined {
  return and(isFronted(projects), or(isBalancedBy(serverId), isPlacedOn(rows, serverId)));
}

/** A subquery: on how many projects a server works together with others. Reads no row of a server that is always alone. */
export function countShared(rows: AccountRows, serverId: ServerId): SQL<number> {
  const fronted = rows.count(projects, isFrontedAt(rows, serverId));
  const several = rows.count(projectServers, eq(projectServers.serverId, serverId));
  return sql<number>`(${fronted} + ${several})`;
}
