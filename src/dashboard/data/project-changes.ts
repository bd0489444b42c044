import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { clientOf } from "#dashboard/data/api.ts";

export const projectChangesApi = clientOf(projectChangeEndpoints);
