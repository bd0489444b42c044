import { eq, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { HookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { hooks } from "#worker/db/push-tables.ts";

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
  // A retry of the request finds its own secret: the forge may still sign with the one before, for as long as before.
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
