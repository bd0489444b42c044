import { processEndpoints } from "#contract/endpoints/processes/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { freshResources } from "#dashboard/data/resource.ts";

export const processApi = clientOf(processEndpoints);

/** Each read asks the project's server. */
export const useProcesses = freshResources(
  (id: ProjectId) => processApi.getProcesses({ params: { project_id: id } }),
  3_000,
);
