import { processEndpoints } from "#contract/endpoints/processes/endpoints.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { Resource, useResource } from "#dashboard/data/resource.ts";

export const processApi = clientOf(processEndpoints);

const POLL_MS = 3_000;

/** The processes of a project on one of its servers; null: on the first. Each read asks the server. */
export function useProcesses(id: ProjectId, serverId: ServerId | null) {
  const query = serverId === null ? {} : { server_id: serverId };
  const read = () => processApi.getProcesses({ params: { project_id: id }, query });
  return useResource(() => new Resource(read, POLL_MS, null), `${id} ${serverId}`);
}
