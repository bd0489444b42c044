import type { Context as HonoContext } from "hono";

import { AGENT_ARTIFACTS_PATH } from "#contract/endpoints/agents/endpoints.ts";
import type { App, AppEnv } from "#worker/http/app.ts";
import { findCallingAgent } from "#worker/http/authenticate.ts";
import type { Authentication } from "#worker/http/find-caller.ts";
import { problemResponse } from "#worker/http/problem-response.ts";

/**
 * The parts of builds, from and to agents. They are not in the endpoint table, whose bodies are JSON. Loaded when they are
 * called, because few projects need them.
 */
export function routeAgentArtifacts(
  app: App,
  authentication: Authentication,
  clock: { now(): number },
): void {
  const handle = async (c: HonoContext<AppEnv>, name: "storeAgentPart" | "sendAgentPart") => {
    const agent = await findCallingAgent(c, authentication, clock.now());
    if (!agent.ok) return problemResponse(c, agent.refusal);
    const parts = await import("#worker/operations/artifacts/agent-parts.ts");
    const result = await parts[name](c, agent.value);
    return result.ok ? result.value : problemResponse(c, result.refusal);
  };
  app.put(AGENT_ARTIFACTS_PATH, (c) => handle(c, "storeAgentPart"));
  app.get(AGENT_ARTIFACTS_PATH, (c) => handle(c, "sendAgentPart"));
}
