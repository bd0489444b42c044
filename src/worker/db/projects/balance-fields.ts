import { eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod/mini";

import { BalanceReports, FleetReport } from "#contract/agent-fleet.ts";
import { ServerId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { projects, servers } from "#worker/db/schema.ts";

const BalanceReading = z.strictObject({
  id: ServerId,
  name: z.string(),
  isConnected: z.int(),
  canBalance: z.nullable(z.int()),
  address: z.nullable(z.string()),
  report: z.nullable(FleetReport),
  set: z.nullable(
    z.strictObject({
      sent: z.int(),
      done: z.nullable(z.int()),
      problem: z.nullable(z.string()),
      out: BalanceReports,
    }),
  ),
});
const storedBalance = storedAs(z.array(BalanceReading));

/**
 * A server or balancer of a project whose entry is `balancer`. `canBalance`: whether its agent is new enough; null: it has not
 * connected yet. `set`: what it was sent about others; null: nothing.
 */
export type BalanceReading = z.infer<typeof BalanceReading>;

/** The servers and balancers of the project in `projects` if its entry is `balancer`, for `balanceOf`. */
export function balanceFields(rows: AccountRows): SQL {
  const canBalance = sql`iif(${servers.capabilities} is null, null, exists (select 1 from json_each(${servers.capabilities}) as one where one.value = 'set_fleet'))`;
  const item = sql`json_object(
    'id', ${servers.id},
    'name', ${servers.name},
    'isConnected', ${servers.connectedAt} is not null,
    'canBalance', ${canBalance},
    'address', ${servers.address},
    'report', json(${servers.fleet}),
    'set', json(${servers.fleetSet}))`;
  const isBalanced = sql`${projects.settings} ->> '$.entry.type' = 'balancer'`;
  const several = rows.column(
    projectServers.serverId,
    projectServers,
    sql`${eq(projectServers.projectId, projects.id)} and ${isBalanced}`,
  );
  const first = sql`select ${projects.serverId} where ${isBalanced}`;
  return rows.listNamed(item, servers, sql`${servers.id} in (${balancers} union ${several} union ${first})`);
}

/** The servers and balancers, from the value of `balanceFields`. */
export function balanceOf(value: unknown): BalanceReading[] {
  return storedBalance.parse(value);
}

/** A select of the ids of the balancers of the project in `projects`. */
export const balancers = sql`select balancer.value from json_each(${projects.settings}, '$.entry.balancers') as balancer`;
