import { drizzle } from "drizzle-orm/d1";

import type { Database } from "#worker/db/database.ts";
import { accounts } from "#worker/db/schema.ts";

/** Reads from the database. @throws if it does not answer or has no tables yet */
export async function checkDatabase(database: Database): Promise<void> {
  await drizzle(database).select({ id: accounts.id }).from(accounts).limit(1);
}
