import { withHiddenShown } from "#contract/hidden-text.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { ALL, useProject, useServers } from "#dashboard/data/resources.ts";

type RunServers = {
  /** In the order of the runs. */
  readonly all: readonly { readonly id: ServerId; readonly name: string }[];
  readonly nameOf: (id: ServerId) => string;
};

/** The servers of a deployment to several servers, with their names. A server that was deleted has its id instead. */
export function useRunServers({ project_id: projectId, runs }: Deployment): RunServers {
  const { value: project } = useProject(projectId);
  // Also servers that the project no longer has. A token may have no access to them.
  const { value: servers } = useServers(ALL);
  const known = [...(project?.servers_state ?? []), ...(servers?.servers ?? [])];
  const nameOf = (id: ServerId) => withHiddenShown(known.find((one) => one.id === id)?.name ?? id);
  const ids = [...new Set(runs.map(({ server_id: id }) => id))];
  return { all: ids.map((id) => ({ id, name: nameOf(id) })), nameOf };
}
