import { and, eq, gte, isNull, lt, or, sql } from "drizzle-orm";

import type { Decision } from "#contract/endpoints/hooks/push-decisions.ts";
import type { HookId, ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";

const HOUR_MS = 60 * 60 * 1000;

/** A row of the ledger before it is written. */
export type NewPush = Omit<typeof pushes.$inferSelect, "accountId">;

/**
 * Adds rows of pushes that started nothing, in one statement. Those that an earlier try of the same request has added are
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
  const isUnread = and(eq(pushes.id, id), sql`${pushes.reason} = 'repository_unread'`);
  return rows.update(pushes, { decision, reason, detail, deploymentId, liveSha }, isUnread);
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
  refused: { readonly refusedAt: number; readonly refusedReason: Decision["reason"] },
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
