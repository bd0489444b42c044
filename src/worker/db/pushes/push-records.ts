import { and, desc, eq, gt, gte, isNull, lt, notExists, or, type SQL, sql } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { LedgerDecision } from "#contract/endpoints/hooks/push-decisions.ts";
import type { HookId, ProjectId, PushId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { afterOf, newestPage, type Position, type Selection } from "#worker/db/reads.ts";
import { qb } from "#worker/db/statements.ts";

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
  return await rows.selectPrepared(pushesOfHook, { id, after: afterOf(position) }, position.limit);
}

function pushesOfHook(rows: AccountRows) {
  const hook = rows.column(hooks.id, hooks, eq(hooks.id, sql.placeholder("id")));
  return [pushColumns, pushes, newestOf(pushes.hookId, hook)] as const;
}

/** The pushes that concern a project, newest first; nothing if the project was deleted. */
export async function listProjectPushes(
  rows: AccountRows,
  id: ProjectId,
  position: Position<PushId>,
): Promise<PushReading[]> {
  return await rows.selectPrepared(pushesOfProject, { id, after: afterOf(position) }, position.limit);
}

function pushesOfProject(rows: AccountRows) {
  const project = rows.column(projects.id, projects, eq(projects.id, sql.placeholder("id")));
  return [pushColumns, pushes, newestOf(pushes.projectId, project)] as const;
}

function newestOf(column: typeof pushes.hookId | typeof pushes.projectId, id: SQL): Selection {
  return { ...newestPage(pushes.id, sql`${column} = (${id})`), isNamed: true };
}

/** A push of a hook, with its paths; null if the account has no such row. */
export async function findPush(rows: AccountRows, hookId: HookId, id: PushId) {
  const where = and(eq(pushes.id, id), eq(pushes.hookId, hookId));
  const fields = { ...pushColumns, paths: pushes.paths };
  const [push] = await rows.select(fields, pushes, { where, limit: 1 });
  return push ?? null;
}

const HOUR_MS = 60 * 60 * 1000;

/** A row of the ledger before it is written. */
export type NewPush = Omit<typeof pushes.$inferSelect, "accountId">;

/**
 * Adds rows of pushes that started nothing, in one statement. Rows that an earlier try of the same request has added are
 * skipped. The row of a push that started a deployment is the lane's (`acceptedWrites`).
 */
export function pushWrites(rows: AccountRows, added: readonly NewPush[]): Write[] {
  return rows.insertEachIfNew(pushes, added);
}

/**
 * Writes the rows of pushes that started a deployment. Only the project's lane does, in the batch of the deployment's
 * record. Safe to repeat. A row exists already if the push waited until the project's server has read the repository.
 */
export function acceptedWrites(rows: AccountRows, accepted: readonly NewPush[]): Write[] {
  return [...pushWrites(rows, accepted), ...accepted.map((row) => decidedWrite(rows, row))];
}

/** Writes what was decided about a push that waited until the project's server has read the repository. */
export function decidedWrite(rows: AccountRows, { id, ...decided }: NewPush): Write {
  const { decision, reason, detail, deploymentId, liveSha } = decided;
  const isWaiting = and(eq(pushes.id, id), sql`${pushes.reason} = 'repository_unread'`);
  return rows.update(pushes, { decision, reason, detail, deploymentId, liveSha }, isWaiting);
}

/**
 * Adds a row that concerns no project, or counts it in the row of the same hour and reason: anybody can send deliveries
 * that are refused, and a forge may send all its events.
 */
export function countedWrites(rows: AccountRows, push: NewPush & { readonly hookId: HookId }): Write[] {
  const isSame = and(
    eq(pushes.hookId, push.hookId),
    isNull(pushes.projectId),
    eq(pushes.decision, push.decision),
    sql`${pushes.reason} = ${push.reason}`,
    gte(pushes.receivedAt, hourOf(push.receivedAt)),
  );
  const { detail } = push;
  const count = rows.update(pushes, { count: sql`${pushes.count} + 1`, detail }, isSame);
  return [count, ...rows.insertEach(pushes, [push], sql`changes() = 0`)];
}

/** Notes an authentic delivery. */
export function receivedWrite(rows: AccountRows, id: HookId, receivedAt: number): Write {
  return rows.update(hooks, { receivedAt }, eq(hooks.id, id));
}

/** Notes a refused delivery. `recorded` is written once in an hour. */
export function refusedWrites(
  rows: AccountRows,
  id: HookId,
  refused: { readonly refusedAt: number; readonly refusedReason: LedgerDecision["reason"] },
  recorded: readonly Write[],
): Write[] {
  const isFirst = or(isNull(hooks.refusedAt), lt(hooks.refusedAt, hourOf(refused.refusedAt)));
  return [
    rows.update(hooks, refused, and(eq(hooks.id, id), isFirst)),
    ...recorded,
    rows.update(hooks, refused, eq(hooks.id, id)),
  ];
}

/** Lets paths decide again after a project's patterns have changed. */
export function forgetSkipped(rows: AccountRows, id: ProjectId): Write {
  return rows.update(
    pushes,
    { liveSha: null },
    and(eq(pushes.projectId, id), sql`${pushes.liveSha} is not null`),
  );
}

function hourOf(time: number): number {
  return time - (time % HOUR_MS);
}

/** How many branches and tags are read at most. */
const MAX_UNREAD = 20;

const later = alias(pushes, "later");

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
  const isNewest = notExists(qb.select({ id: later.id }).from(later).where(ofRef));
  const fields = { ...pushColumns, paths: pushes.paths };
  return await rows.select(fields, pushes, {
    where: and(isUnread(rows, projectId), isNewest),
    isNamed: true,
    orderBy: [pushes.id.getSQL()],
    limit: MAX_UNREAD,
  });
}
