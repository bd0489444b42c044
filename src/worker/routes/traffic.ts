import type { TokenHandlers } from "#worker/http/handler.ts";
import { answer } from "#worker/http/responses.ts";
import { pauseProject, setMaintenance } from "#worker/operations/traffic/traffic.ts";

export const trafficHandlers = {
  setMaintenance: (context, { params, body }) => answer(setMaintenance(context, params.project_id, body)),
  pauseProject: (context, { params, body }) => answer(pauseProject(context, params.project_id, body.seconds)),
  resumeProject: (context, { params }) => answer(pauseProject(context, params.project_id, 0)),
} satisfies Partial<TokenHandlers>;
