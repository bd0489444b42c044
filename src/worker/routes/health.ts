import type { DatabaseHealth } from "#worker/db/database-health.ts";
import { answer } from "#worker/http/responses.ts";
import type { OpenHandlers } from "#worker/http/handler.ts";
import { getHealth } from "#worker/operations/get-health.ts";

export function createHealthHandlers(health: DatabaseHealth) {
  return {
    getHealth: (context, { query }) => answer(getHealth(context, health, query.deep !== undefined)),
  } satisfies Partial<OpenHandlers>;
}
