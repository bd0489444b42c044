import { AGENT_CONNECT_PATH } from "#contract/endpoints/agents/endpoints.ts";
import { refuse } from "#contract/problems.ts";
import { nearestRegion } from "#domain/nearest-region.ts";
import type { App } from "#worker/http/app.ts";
import { findCallingAgent } from "#worker/http/authenticate.ts";
import type { Authentication } from "#worker/http/find-caller.ts";
import { problemResponse } from "#worker/http/problem-response.ts";
import { requestLocation } from "#worker/http/request-location.ts";
import { jurisdictionOf, near } from "#worker/objects/location.ts";
import { linkHeaders } from "#worker/objects/agent-link/link-sockets.ts";

/** Authenticates the WebSocket upgrade of an agent, and passes it to the AgentLink of its server. */
export function routeAgentConnect(app: App, authentication: Authentication, clock: { now(): number }): void {
  app.get(AGENT_CONNECT_PATH, async (c) => {
    const agent = await findCallingAgent(c, authentication, clock.now());
    if (!agent.ok) return problemResponse(c, agent.refusal);
    if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
      const { refusal } = refuse("upgrade_required", "Send the header Upgrade: websocket.");
      const response = problemResponse(c, refusal);
      response.headers.set("upgrade", "websocket");
      return response;
    }
    const { accountId, serverId, credentialHash, location } = agent.value;
    const headers = new Headers(c.req.raw.headers);
    // `set` replaces values that the client sent in these headers.
    headers.set(linkHeaders.accountId, accountId);
    headers.set(linkHeaders.credentialHash, credentialHash);
    const region = nearestRegion(requestLocation(c.req.raw), jurisdictionOf(c.env));
    headers.set(linkHeaders.region, region ?? "");
    // Usually it exists since the enrolment.
    const link = c.env.AGENT_LINK.getByName(serverId, near(location ?? region, c.env));
    return link.fetch(new Request(c.req.raw, { headers }));
  });
}
