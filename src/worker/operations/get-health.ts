import type { Health } from "#contract/endpoints/accounts/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { OpenContext } from "#worker/context.ts";
import type { DatabaseHealth } from "#worker/db/database-health.ts";

/** Whether the database answers and has its tables. The result may be some seconds old. */
export async function getHealth(
  { database, clock }: OpenContext,
  health: DatabaseHealth,
  isDeep: boolean,
): Promise<Result<Health, "unavailable">> {
  const now = clock.now();
  const reading = isDeep ? await health.reading(database, now) : undefined;
  return reading !== null && (await health.isGood(database, now))
    ? succeed({ status: "ok", ...(reading === undefined ? {} : { database: reading }) })
    : refuse("unavailable", "The database does not respond, or its migrations have not run yet.");
}
