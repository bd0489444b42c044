import { variableEndpoints } from "#contract/endpoints/variables/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { POLL_MS, resources } from "#dashboard/data/resource.ts";

/** The length of the history that the page shows at first. */
const REVISIONS_PER_PAGE = 20;

export const variableApi = clientOf(variableEndpoints);

export const useVariables = resources(
  (id: ProjectId) => variableApi.getVariables({ params: { project_id: id } }),
  POLL_MS,
  "variables project deployment",
);

/** The newest page of changes. */
export const useVariableRevisions = resources((id: ProjectId) =>
  variableApi.listVariableRevisions({ params: { project_id: id }, query: { limit: REVISIONS_PER_PAGE } }),
);
