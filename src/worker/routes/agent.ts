import { agentEndpoints } from "#contract/endpoints/agents/endpoints.ts";
import { answer } from "#worker/http/responses.ts";
import { forAgents } from "#worker/http/routes.ts";
import { reportRunEvents } from "#worker/operations/deployments/report-run-events.ts";

export const agentRoutes = forAgents(agentEndpoints, {
  reportRunEvents: (context, { params, body }) =>
    answer(reportRunEvents(context, params.deployment_id, body)),
});
