import { eq } from "drizzle-orm";

import type { HookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { hooks } from "#worker/db/push-tables.ts";

/** Deletes a hook, with the writes that record it. Its pushes stay. @returns false if the account has no such hook */
export async function deleteHook(
  rows: AccountRows,
  id: HookId,
  recorded: readonly Write[],
): Promise<boolean> {
  const [deleted] = await rows.runTogether([rows.delete(hooks, eq(hooks.id, id)), ...recorded]);
  return deleted === 1;
}
