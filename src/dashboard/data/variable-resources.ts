import { variableEndpoints } from "#contract/endpoints/variables/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { resources } from "#dashboard/data/resource.ts";

const NOW_AND_THEN_MS = 10_000;
/** Of the history. */
const REVISIONS_PER_PAGE = 20;

export const variableApi = clientOf(variableEndpoints);

export const useVariables = resources(
  (id: ProjectId) => variableApi.getVariables({ params: { project_id: id } }),
  NOW_AND_THEN_MS,
  "variables project deployment",
);

/** The newest page of changes. */
export const useVariableRevisions = resources((id: ProjectId) =>
  variableApi.listVariableRevisions({ params: { project_id: id }, query: { limit: REVISIONS_PER_PAGE } }),
);
