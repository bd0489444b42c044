import { commandEndpoints } from "#contract/endpoints/commands/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { freshResources } from "#dashboard/data/resource.ts";

const OFTEN_MS = 2_000;
const NOW_AND_THEN_MS = 10_000;

export const commandApi = clientOf(commandEndpoints);

/** The newest page of a project's commands. Each read asks the server how they ended. */
export const useCommands = freshResources(
  (id: ProjectId) => commandApi.listCommands({ params: { project_id: id } }),
  ({ commands }) => (commands.some(({ status }) => status === "running") ? OFTEN_MS : NOW_AND_THEN_MS),
);
