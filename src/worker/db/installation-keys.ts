import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import { installationKeys } from "#worker/db/identity-tables.ts";

/** The secret with this name, in base64url; null: the installation has none yet. */
export async function findInstallationKey(
  database: D1Database,
  name: typeof installationKeys.$inferSelect.name,
): Promise<string | null> {
  const [found] = await drizzle(database)
    .select({ secret: installationKeys.secret })
    .from(installationKeys)
    .where(eq(installationKeys.name, name));
  return found?.secret ?? null;
}

/** Stores a secret, unless there is one with this name. Of two at the same time, one stays: read it again afterwards. */
export async function addInstallationKey(
  database: D1Database,
  key: typeof installationKeys.$inferInsert,
): Promise<void> {
  await drizzle(database).insert(installationKeys).values(key).onConflictDoNothing();
}
