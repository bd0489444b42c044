import type { Health } from "#contract/endpoints/accounts/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { OpenContext } from "#worker/context.ts";
import type { DatabaseHealth } from "#worker/db/database-health.ts";

/** Whether the control plane can answer: its database does, and has its tables, or did some seconds ago. */
export async function getHealth(
  { database, clock }: OpenContext,
  health: DatabaseHealth,
): Promise<Result<Health, "unavailable">> {
  return (await health.isGood(database, clock.now()))
    ? succeed({ status: "ok" })
    : refuse("unavailable", "The database does not answer, or has not been migrated yet.");
}
