import { agentEndpoints } from "#contract/endpoints/agents/endpoints.ts";
import { answer } from "#worker/http/responses.ts";
import { forAnyone } from "#worker/http/routes.ts";
import { enrollAgent } from "#worker/operations/servers/enroll-agent.ts";

export const enrollmentRoutes = forAnyone(agentEndpoints, {
  enrollAgent: (context, { body }) => answer(enrollAgent(context, body)),
});
