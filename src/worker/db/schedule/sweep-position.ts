import { drizzle } from "drizzle-orm/d1";

import { sweeps } from "#worker/db/schema.ts";

/** How far the parts of the schedule are. Each part has a row. */
export async function findSweeps(database: D1Database): Promise<{ name: string; position: string }[]> {
  return await drizzle(database).select().from(sweeps);
}

export async function saveSweep(database: D1Database, name: string, position: string): Promise<void> {
  await drizzle(database)
    .insert(sweeps)
    .values({ name, position })
    .onConflictDoUpdate({ target: sweeps.name, set: { position } });
}
