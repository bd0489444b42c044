import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { api } from "#dashboard/data/api.ts";
import { cacheByKey } from "#dashboard/data/cache.ts";
import { DeploymentFeed, type Filters } from "#dashboard/data/deployment-feed.ts";

const PAGE_SIZE = 100;
const feeds = cacheByKey<DeploymentFeed>(8);

/** A project's deployments. The feed is cached, so that the list is complete when the page is opened again. */
export function feedOf(projectId: ProjectId, filters: Filters): DeploymentFeed {
  const key = JSON.stringify([projectId, filters.status, filters.branch]);
  return feeds(key, () => new DeploymentFeed(sourceOf(projectId), filters, projectId));
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
