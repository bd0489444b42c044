import { eq, getTableColumns } from "drizzle-orm";

import type { HookId } from "#contract/ids.ts";
import type { Database } from "#worker/db/database-session.ts";
import { hooks } from "#worker/db/push-tables.ts";
import { read, select } from "#worker/db/reads.ts";
import { from } from "#worker/db/statements.ts";

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
  const [hook] = await read(database, select(getTableColumns(hooks), from(hooks, eq(hooks.id, id))));
  if (hook === undefined) return null;
  const { accountId, forge, repository, repositoryKey, secret, previousSecret, previousExpiresAt } = hook;
  const hasPrevious = previousSecret !== null && previousExpiresAt !== null && previousExpiresAt > now;
  const secrets = hasPrevious ? [secret, previousSecret] : [secret];
  return { id, accountId, forge, repository, repositoryKey, secrets };
}
