import { sql } from "drizzle-orm";

import { sweeps } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/reads.ts";
import { prepare } from "#worker/db/statements.ts";

/** How far the parts of the schedule are. Each part has a row. */
export async function findSweeps(database: D1Database): Promise<{ name: string; position: string }[]> {
  return await read(database, select({ name: sweeps.name, position: sweeps.position }, sql`from ${sweeps}`));
}

export async function saveSweep(database: D1Database, name: string, position: string): Promise<void> {
  const saved = sql`insert into ${sweeps} (name, position) values (${name}, ${position}) on conflict (name) do update set position = excluded.position`;
  await prepare(database, saved).run();
}
