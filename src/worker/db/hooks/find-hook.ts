import { eq } from "drizzle-orm";

import type { HookId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { hookFields, type HookReading, readHook } from "#worker/db/hooks/hook-reading.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { hooks } from "#worker/db/push-tables.ts";

/** The account's hook with this id; null if there is none. */
export async function findHook(rows: AccountRows, id: HookId): Promise<HookReading | null> {
  const [hook] = await rows.select(hookFields, hooks, { where: eq(hooks.id, id), limit: 1 });
  return hook === undefined ? null : readHook(hook);
}

/** The account's hook for a repository; null if there is none. @param key of the repository (`repositoryKey`) */
export async function findHookOf(rows: AccountRows, key: string): Promise<HookReading | null> {
  const [hook] = await rows.select(hookFields, hooks, {
    where: eq(hooks.repositoryKey, key),
    limit: 1,
  });
  return hook === undefined ? null : readHook(hook);
}

/** The account's hooks, newest first. */
export async function listHooks(rows: AccountRows, position: Position<HookId>): Promise<HookReading[]> {
  return (await rows.select(hookFields, hooks, newestFirst(hooks.id, position))).map(readHook);
}
