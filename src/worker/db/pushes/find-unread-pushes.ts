import { and, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { PushReading } from "#worker/db/pushes/push-reading.ts";
import { pushColumns } from "#worker/db/pushes/push-reading.ts";
import { pushes } from "#worker/db/push-tables.ts";
import { deployments } from "#worker/db/schema.ts";
import { aliasOf, from } from "#worker/db/statements.ts";

/** How many branches and tags are read at most. */
const MAX_UNREAD = 20;

const later = aliasOf(pushes, "later");

/** A push that waits until the project's server has read the repository, with the files that it changed. */
export type UnreadPush = PushReading & { readonly paths: string[] | null };

/**
 * The condition for pushes that wait until a project's server has read the repository. Pushes from before the request of
 * the newest deployment no longer wait: it has read the repository, or will.
 */
export function isUnread(rows: AccountRows, projectId: SQL | SQLiteColumn | ProjectId): SQL | undefined {
  const { version, createdAt } = deployments;
  const ofProject = sql`${deployments.projectId} = ${projectId}`;
  const newest = rows.firstNamed<number>(createdAt, deployments, ofProject, desc(version));
  return and(
    sql`${pushes.projectId} = ${projectId}`,
    // As in the partial index.
    sql`${pushes.reason} = 'repository_unread'`,
    sql`${pushes.receivedAt} > coalesce(${newest}, 0)`,
  );
}

/** The newest push of each branch and tag that waits until a project's server has read the repository, oldest first. */
export async function findUnreadPushes(rows: AccountRows, projectId: ProjectId): Promise<UnreadPush[]> {
  const ofRef = and(
    sql`+${later.accountId} = ${rows.accountId}`,
    eq(later.projectId, pushes.projectId),
    eq(later.ref, pushes.ref),
    gt(later.id, pushes.id),
  );
  const isNewest = sql`not exists (select 1 ${from(later, ofRef)})`;
  const fields = { ...pushColumns, paths: pushes.paths };
  return await rows.selectNamed(fields, pushes, {
    where: and(isUnread(rows, projectId), isNewest),
    orderBy: [pushes.id.getSQL()],
    limit: MAX_UNREAD,
  });
}
