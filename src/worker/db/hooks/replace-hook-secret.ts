import { eq, sql } from "drizzle-orm";

import type { HookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { hooks } from "#worker/db/push-tables.ts";

/**
 * Gives a hook a new secret, and keeps the current one until `previousExpiresAt`, with the writes that record it.
 * @returns false if the account has no such hook
 */
export async function replaceHookSecret(
  rows: AccountRows,
  id: HookId,
  { secret, previousExpiresAt }: { readonly secret: string; readonly previousExpiresAt: number },
  recorded: readonly Write[],
): Promise<boolean> {
  // A retry of the request finds its own secret: the forge may still sign with the one before.
  const previousSecret = sql`case when ${hooks.secret} = ${secret} then ${hooks.previousSecret} else ${hooks.secret} end`;
  const changes = { secret, previousSecret, previousExpiresAt };
  const [changed] = await rows.runTogether([rows.update(hooks, changes, eq(hooks.id, id)), ...recorded]);
  return changed === 1;
}
