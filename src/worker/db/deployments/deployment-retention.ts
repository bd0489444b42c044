import { and, asc, desc, eq, lt, not, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";

import { DeploymentId, type ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments } from "#worker/db/schema.ts";
import { isOneOf, limited, qb } from "#worker/db/statements.ts";

/** How many of a project's newest deployments always stay. */
export const KEPT_DEPLOYMENTS = 100;

/** The most rows that one statement deletes. It reads more rows than that, because some of the old ones stay. */
const MAX_DELETED = 500;
const MAX_READ = 1_000;

type Old = {
  /** Unix milliseconds. */
  readonly endedBefore: number;
  /** The deployments that stay at any age. */
  readonly kept: readonly DeploymentId[];
};

const old = alias(deployments, "old");

/**
 * Deletes deployments of a project that ended before a time, a few hundred at once and the oldest first. Deployments
 * that have not ended, the live deployment and the newest hundred stay. Reads the old rows and a hundred others, however many younger ones
 * the project has.
 *
 * @returns the deleted ones, and whether more may be left
 */
export async function deleteOldDeployments(
  rows: AccountRows,
  projectId: ProjectId,
  { endedBefore, kept }: Old,
): Promise<{ deleted: DeploymentId[]; isAll: boolean }> {
  const ofProject = eq(old.projectId, projectId);
  const oldestKept = rows.first<number>(old.version, old, ofProject, desc(old.version), KEPT_DEPLOYMENTS - 1);
  // Versions rise with time. So no version above the lowest version that is too young has to be read.
  const lowest = qb
    .select({ version: old.version, createdAt: old.createdAt })
    .from(old)
    .where(ofProject)
    .orderBy(asc(old.version));
  const firstYoung = sql`(select version from (${lowest.getSQL()}${limited(MAX_READ)}) where created_at >= ${endedBefore} limit 1)`;
  const isRemovable = and(
    ofProject,
    // Null, and so no row, if the project has fewer deployments than always stay.
    sql`${old.version} < min(${oldestKept}, coalesce(${firstYoung}, ${Number.MAX_SAFE_INTEGER}))`,
    sql`${old.status} in ('superseded', 'failed', 'canceled')`,
    lt(old.finishedAt, endedBefore),
    not(isOneOf(old.id, kept)),
  );
  const some = qb.select({ id: old.id }).from(old).where(isRemovable).orderBy(asc(old.version));
  const isOneOfThem = sql`${deployments.id} in (${some.getSQL()}${limited(MAX_DELETED)})`;
  const deletion = rows.delete(deployments, isOneOfThem);
  const ids = await rows.runReturning(deletion, deployments.id);
  return { deleted: ids.map((id) => DeploymentId.parse(id)), isAll: ids.length < MAX_DELETED };
}
