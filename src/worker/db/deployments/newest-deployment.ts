import { and, eq, lt, type SQL, sql } from "drizzle-orm";

import { DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, isEnded } from "#worker/db/schema.ts";
import { aliasOf } from "#worker/db/statements.ts";

/** The deployments of the subquery, for its conditions. */
export const candidates = aliasOf(deployments, "candidates");

export type DeploymentColumns = typeof deployments | typeof candidates;

type Wanted = {
  readonly statuses?: readonly DeploymentStatus[] | undefined;
  /** A condition on the branch or the server; undefined: neither. */
  readonly place: SQL | undefined;
  /** Further conditions. Deployments are read, newest first, until one meets them. */
  readonly others?: SQL | undefined;
  readonly below?: SQL | undefined;
};

/**
 * The id of a project's newest wanted deployment; null: there is none. SQLite finds ended deployments by an index of their
 * status, branch or server, and the few that are building or live by separate indexes.
 */
export function newestDeployment(
  rows: AccountRows,
  project: SQL,
  { statuses, place, others, below = sql`'~'` }: Wanted,
): SQL<DeploymentId | null> {
  // Only the indexes of branches and servers have ended deployments of all statuses in the order of their ids.
  const all = place === undefined ? DeploymentStatus.options : (["ended", "live", "building"] as const);
  const found = [...new Set(statuses ?? all)].map((status) => {
    const isIn = status === "ended" ? isEnded(candidates) : stateOf(status);
    const where = and(eq(candidates.projectId, project), isIn, place, others, lt(candidates.id, below));
    return rows.firstNamed(candidates.id, candidates, where, sql`${candidates.id} desc`);
  });
  if (found.length === 1) return sql`${found[0]}`;
  // `max` of several values is null if one is.
  const known = found.map((id) => sql`coalesce(${id}, '')`);
  return sql`nullif(max(${sql.join(known, sql`, `)}), '')`;
}

export const isUnendedStatus = (status: DeploymentStatus) => status === "live" || status === "building";

function stateOf(status: DeploymentStatus): SQL | undefined {
  return and(isUnendedStatus(status) ? undefined : isEnded(candidates), hasStatus(candidates, [status]));
}

// The statuses are in the statement's text: with parameters, SQLite would not use the partial indexes.
export function hasStatus({ status }: DeploymentColumns, statuses: readonly DeploymentStatus[]): SQL {
  const names = [...new Set(statuses)].map((name) => sql.raw(`'${name}'`));
  return names.length === 1 ? sql`${status} = ${names[0]}` : sql`${status} in (${sql.join(names, sql`, `)})`;
}
