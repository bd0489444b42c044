import { agentEndpoints } from "#contract/endpoints/agents/endpoints.ts";
import { answer } from "#worker/http/responses.ts";
import { forAgents, forAnyone } from "#worker/http/routes.ts";
import { enrollAgent } from "#worker/operations/servers/enroll-agent.ts";
import { reportRunEvents } from "#worker/operations/deployments/report-run-events.ts";

export const enrollmentRoutes = forAnyone(agentEndpoints, {
  enrollAgent: (context, { body }) => answer(enrollAgent(context, body)),
});

export const agentRoutes = forAgents(agentEndpoints, {
  reportRunEvents: (context, { params, body }) =>
    answer(reportRunEvents(context, params.deployment_id, body)),
});
