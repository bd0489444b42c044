import { trafficEndpoints } from "#contract/endpoints/traffic/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import { pauseProject, setMaintenance } from "#worker/operations/traffic/traffic.ts";

export const trafficRoutes = forTokens(trafficEndpoints, {
  setMaintenance: (context, { params, body }) => answer(setMaintenance(context, params.project_id, body)),
  pauseProject: (context, { params, body }) => answer(pauseProject(context, params.project_id, body.seconds)),
  resumeProject: (context, { params }) => answer(pauseProject(context, params.project_id, 0)),
});
