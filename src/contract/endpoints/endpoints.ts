import { agentEndpoints } from "#contract/endpoints/agents/endpoints.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";

/** Every endpoint that the Worker answers, by operation name. */
export const endpoints = { ...userEndpoints, ...agentEndpoints };

export type Endpoints = typeof endpoints;
export type OperationName = keyof Endpoints;
