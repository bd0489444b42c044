import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";

/** A change of a process that the user made. `started`: null if nothing is live, so that there is nothing to deploy again. */
export type Change = { readonly what: string; readonly started: DeploymentStarted | null };
