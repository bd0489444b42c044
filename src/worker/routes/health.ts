import { accountEndpoints } from "#contract/endpoints/accounts/endpoints.ts";
import type { DatabaseHealth } from "#worker/db/database-health.ts";
import { answer } from "#worker/http/responses.ts";
import { forAnyone } from "#worker/http/routes.ts";
import { getHealth } from "#worker/operations/get-health.ts";

export function createHealthRoutes(health: DatabaseHealth) {
  return forAnyone(accountEndpoints, {
    getHealth: (context, { query }) => answer(getHealth(context, health, query.deep !== undefined)),
  });
}
