import type { TokenHandlers } from "#worker/http/handler.ts";
import { answer } from "#worker/http/responses.ts";
import { setMaintenance } from "#worker/operations/traffic/set-maintenance.ts";

export const trafficHandlers = {
  setMaintenance: (context, { params, body }) => answer(setMaintenance(context, params.project_id, body)),
} satisfies Partial<TokenHandlers>;
