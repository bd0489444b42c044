import { domainEndpoints } from "#contract/endpoints/domains/endpoints.ts";
import { clientOf } from "#dashboard/data/api.ts";

/** The client for a project's host names. */
export const domainsApi = clientOf(domainEndpoints);
