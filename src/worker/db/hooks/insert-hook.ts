import { sql } from "drizzle-orm";

import type { HookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { NewRow } from "#worker/db/owned-tables.ts";
import { findHook, findHookOf } from "#worker/db/hooks/find-hook.ts";
import type { HookReading } from "#worker/db/hooks/hook-reading.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { hooks } from "#worker/db/push-tables.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

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
