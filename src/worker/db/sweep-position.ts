import { eq, sql } from "drizzle-orm";

import { type SweepName, sweeps } from "#worker/db/schema.ts";
import { from, prepare, read, remove, select } from "#worker/db/statements.ts";

/** Where a sweep continues; null: from the start. */
export async function findSweepPosition(database: D1Database, name: SweepName): Promise<string | null> {
  const [found] = await read(
    database,
    select({ position: sweeps.position }, from(sweeps, eq(sweeps.name, name))),
  );
  return found?.position ?? null;
}

/** @param position null: the sweep is complete, and the next run starts again */
export async function saveSweepPosition(
  database: D1Database,
  name: SweepName,
  position: string | null,
): Promise<void> {
  const saved = sql`insert into ${sweeps} (name, position) values (${name}, ${position}) on conflict (name) do update set position = excluded.position`;
  await prepare(database, position === null ? remove(sweeps, eq(sweeps.name, name)) : saved).run();
}
