import { accountEndpoints } from "#contract/endpoints/accounts/endpoints.ts";
import { deploymentEndpoints } from "#contract/endpoints/deployments/endpoints.ts";
import { logEndpoints } from "#contract/endpoints/logs/endpoints.ts";
import { projectEndpoints } from "#contract/endpoints/projects/endpoints.ts";
import { serverEndpoints } from "#contract/endpoints/servers/endpoints.ts";
import { sessionEndpoints } from "#contract/endpoints/sessions/endpoints.ts";
import { tokenEndpoints } from "#contract/endpoints/tokens/endpoints.ts";

/** The endpoints that the first page of the dashboard bundles, by operation name. `userEndpoints` has all. */
export const clientEndpoints = {
  ...deploymentEndpoints,
  ...logEndpoints,
  ...projectEndpoints,
  ...serverEndpoints,
  ...tokenEndpoints,
  ...sessionEndpoints,
  ...accountEndpoints,
};

export type ClientEndpoints = typeof clientEndpoints;
export type ClientOperation = keyof ClientEndpoints;
