import { trafficEndpoints } from "#contract/endpoints/traffic/endpoints.ts";
import { clientOf } from "#dashboard/data/api.ts";

/** The client for a project's visitors: maintenance and pauses. */
export const trafficApi = clientOf(trafficEndpoints);
