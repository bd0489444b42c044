import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { api } from "#dashboard/data/api.ts";
import { DeploymentFeed, type Filters } from "#dashboard/data/deployment-feed.ts";
import { onSignOut } from "#dashboard/data/resource.ts";

const PAGE_SIZE = 100;
const MOST_REMEMBERED = 8;
const remembered = new Map<string, DeploymentFeed>();
onSignOut(() => remembered.clear());

/** A project's deployments, with what was read of them before: who comes back finds what they left. */
export function feedOf(projectId: ProjectId, filters: Filters): DeploymentFeed {
  const key = JSON.stringify([projectId, filters.status, filters.branch]);
  const feed = remembered.get(key) ?? new DeploymentFeed(sourceOf(projectId), filters);
  // Whichever was looked at longest ago is the first to be forgotten.
  remembered.delete(key);
  remembered.set(key, feed);
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return feed;
}

function sourceOf(projectId: ProjectId) {
  return {
    list: ({ status, branch }: Filters, cursor: string | null) =>
      api.listDeployments({
        query: {
          project_id: projectId,
          limit: PAGE_SIZE,
          ...(status === "" ? {} : { status }),
          ...(branch === "" ? {} : { branch }),
          ...(cursor === null ? {} : { cursor }),
        },
      }),
    read: (id: DeploymentId) => api.getDeployment({ params: { deployment_id: id } }),
  };
}
