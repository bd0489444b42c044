import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import * as z from "zod/mini";

import type { HookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { Database } from "#worker/db/database-session.ts";
import { findHook, findHookOf, type HookReading } from "#worker/db/hooks/hook-records.ts";
import { MAX_PER_ACCOUNT, type NewRow } from "#worker/db/owned-tables.ts";
import { hooks } from "#worker/db/push-tables.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** A hook with its secrets, to check a delivery. */
export type ReceivingHook = Pick<
  typeof hooks.$inferSelect,
  "id" | "accountId" | "forge" | "repository" | "repositoryKey"
> & {
  /** The current one, and the previous one while it works. */
  readonly secrets: readonly string[];
};

/** Finds a hook of any account: its delivery must be signed with one of the secrets. @param now Unix milliseconds */
export async function findReceivingHook(
  database: Database,
  id: HookId,
  now: number,
): Promise<ReceivingHook | null> {
  const [hook] = await drizzle(database).select().from(hooks).where(eq(hooks.id, id));
  if (hook === undefined) return null;
  const { secret, previousSecret, previousExpiresAt } = hook;
  const hasPrevious = previousSecret !== null && previousExpiresAt !== null && previousExpiresAt > now;
  const secrets = hasPrevious ? [secret, previousSecret] : [secret];
  const { accountId, forge, repository, repositoryKey: key } = hook;
  return { id, accountId, forge, repository, repositoryKey: key, secrets };
}

type HookInsertion =
  | { readonly outcome: "inserted"; readonly hook: HookReading }
  /** The account has a hook for the repository. */
  | { readonly outcome: "exists"; readonly id: HookId }
  | { readonly outcome: "too_many" };

/**
 * Adds a hook with the writes that record it. If an earlier try of the same request has added it, returns that hook.
 */
export async function insertHook(
  rows: AccountRows,
  hook: NewRow<typeof hooks>,
  recorded: readonly Write[],
): Promise<HookInsertion> {
  const hasRoom = sql`${rows.count(hooks)} < ${MAX_PER_ACCOUNT}`;
  try {
    await rows.runTogether([rows.insert(hooks, hook, hasRoom), ...recorded]);
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
  const added = await findHook(rows, hook.id);
  if (added !== null) return { outcome: "inserted", hook: added };
  const other = await findHookOf(rows, hook.repositoryKey);
  return other === null ? { outcome: "too_many" } : { outcome: "exists", id: other.id };
}

/**
 * Gives a hook a new secret, and keeps the current one until `previousExpiresAt`, with the writes that record it.
 * @returns when the secret from before stops working; undefined if the account has no such hook
 */
export async function replaceHookSecret(
  rows: AccountRows,
  id: HookId,
  { secret, previousExpiresAt }: { readonly secret: string; readonly previousExpiresAt: number },
  recorded: readonly Write[],
): Promise<number | null | undefined> {
  // A retry of the request finds its own secret: the forge may still sign with the earlier secret, for as long as before.
  const isRetry = sql`${hooks.secret} = ${secret}`;
  const changes = {
    secret,
    previousSecret: sql`case when ${isRetry} then ${hooks.previousSecret} else ${hooks.secret} end`,
    previousExpiresAt: sql`case when ${isRetry} then ${hooks.previousExpiresAt} else ${previousExpiresAt} end`,
  };
  const update = rows.update(hooks, changes, eq(hooks.id, id));
  const [expiresAt] = await rows.runReturning(update, hooks.previousExpiresAt, recorded);
  return z.optional(z.nullable(z.number())).parse(expiresAt);
}

/** Deletes a hook, with the writes that record it. Its pushes stay. @returns false if the account has no such hook */
export async function deleteHook(
  rows: AccountRows,
  id: HookId,
  recorded: readonly Write[],
): Promise<boolean> {
  const [deleted] = await rows.runTogether([rows.delete(hooks, eq(hooks.id, id)), ...recorded]);
  return deleted === 1;
}
