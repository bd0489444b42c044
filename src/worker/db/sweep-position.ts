import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import { type SweepName, sweeps } from "#worker/db/schema.ts";

/** Where a sweep continues; null: from the start. */
export async function findSweepPosition(database: D1Database, name: SweepName): Promise<string | null> {
  const [found] = await drizzle(database)
    .select({ position: sweeps.position })
    .from(sweeps)
    .where(eq(sweeps.name, name));
  return found?.position ?? null;
}

/** @param position null: the sweep is complete, and the next run starts again */
export async function saveSweepPosition(
  database: D1Database,
  name: SweepName,
  position: string | null,
): Promise<void> {
  const rows = drizzle(database);
  if (position === null) await rows.delete(sweeps).where(eq(sweeps.name, name));
  else
    await rows
      .insert(sweeps)
      .values({ name, position })
      .onConflictDoUpdate({ target: sweeps.name, set: { position } });
}
