import { and, eq, type SQL, sql } from "drizzle-orm";

import type { HookId, ProjectId, PushId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { projects } from "#worker/db/schema.ts";
import type { Selection } from "#worker/db/selection.ts";

/** The columns of a PushReading. */
export const pushColumns = {
  id: pushes.id,
  hookId: pushes.hookId,
  projectId: pushes.projectId,
  source: pushes.source,
  receivedAt: pushes.receivedAt,
  deliveryId: pushes.deliveryId,
  event: pushes.event,
  ref: pushes.ref,
  before: pushes.before,
  after: pushes.after,
  headline: pushes.headline,
  pusher: pushes.pusher,
  decision: pushes.decision,
  reason: pushes.reason,
  detail: pushes.detail,
  deploymentId: pushes.deploymentId,
  count: pushes.count,
};

/** A row of the ledger, as it is listed. Times are Unix milliseconds. */
export type PushReading = Pick<typeof pushes.$inferSelect, keyof typeof pushColumns>;

/** What arrived at a hook, newest first; nothing if the hook was deleted. */
export async function listHookPushes(
  rows: AccountRows,
  id: HookId,
  position: Position<PushId>,
): Promise<PushReading[]> {
  const hook = rows.column(hooks.id, hooks, eq(hooks.id, id));
  return await rows.selectNamed(pushColumns, pushes, newestOf(pushes.hookId, hook, position));
}

/** The pushes that concern a project, newest first; nothing if the project was deleted. */
export async function listProjectPushes(
  rows: AccountRows,
  id: ProjectId,
  position: Position<PushId>,
): Promise<PushReading[]> {
  const project = rows.column(projects.id, projects, eq(projects.id, id));
  return await rows.selectNamed(pushColumns, pushes, newestOf(pushes.projectId, project, position));
}

function newestOf(
  column: typeof pushes.hookId | typeof pushes.projectId,
  id: SQL,
  position: Position<PushId>,
): Selection {
  return newestFirst(pushes.id, position, sql`${column} = (${id})`);
}

/** A push of a hook, with its paths; null if the account has no such row. */
export async function findPush(rows: AccountRows, hookId: HookId, id: PushId) {
  const where = and(eq(pushes.id, id), eq(pushes.hookId, hookId));
  const fields = { ...pushColumns, paths: pushes.paths };
  const [push] = await rows.select(fields, pushes, { where, limit: 1 });
  return push ?? null;
}
