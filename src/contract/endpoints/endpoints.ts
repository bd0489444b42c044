import { agentEndpoints } from "#contract/endpoints/agents/endpoints.ts";
import { commandEndpoints } from "#contract/endpoints/commands/endpoints.ts";
import { cronEndpoints } from "#contract/endpoints/cron/endpoints.ts";
import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";

/** Every endpoint that the Worker answers, by operation name. */
export const endpoints = { ...clientEndpoints, ...commandEndpoints, ...cronEndpoints, ...agentEndpoints };

export type Endpoints = typeof endpoints;
export type OperationName = keyof Endpoints;
