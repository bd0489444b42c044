import { commandEndpoints } from "#contract/endpoints/commands/endpoints.ts";
import { cronEndpoints } from "#contract/endpoints/cron/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { FAST_POLL_MS, freshResources, POLL_MS } from "#dashboard/data/resource.ts";

export const commandApi = clientOf(commandEndpoints);
export const cronApi = clientOf(cronEndpoints);

/** The newest page of a project's commands. Each read asks the server how they ended. */
export const useCommands = freshResources(
  (id: ProjectId) => commandApi.listCommands({ params: { project_id: id } }),
  ({ commands }) => intervalFor(commands),
);

/** The cron jobs of the live deployment, with their latest runs. Each read asks the server. */
export const useCronJobs = freshResources(
  (id: ProjectId) => cronApi.listCronJobs({ params: { project_id: id } }),
  ({ jobs }) => intervalFor(jobs.flatMap(({ runs }) => runs)),
);

function intervalFor(runs: readonly { readonly status: string | null }[]): number {
  return runs.some(({ status }) => status === "running") ? FAST_POLL_MS : POLL_MS;
}
