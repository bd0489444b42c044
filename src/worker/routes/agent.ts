import { answer } from "#worker/http/responses.ts";
import type { AgentHandlers, OpenHandlers } from "#worker/http/handler.ts";
import { enrollAgent } from "#worker/operations/servers/enroll-agent.ts";
import { reportRunEvents } from "#worker/operations/deployments/report-run-events.ts";

export const enrollmentHandlers = {
  enrollAgent: (context, { body }) => answer(enrollAgent(context, body)),
} satisfies Partial<OpenHandlers>;

export const agentHandlers = {
  reportRunEvents: (context, { params, body }) =>
    answer(reportRunEvents(context, params.deployment_id, body)),
} satisfies Partial<AgentHandlers>;
