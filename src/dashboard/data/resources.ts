import { readAll } from "#client/read-all.ts";
import { clientEndpoints, type ClientOperation } from "#contract/endpoints/client-endpoints.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { lackOf } from "#contract/may-call.ts";
import { activityReader } from "#dashboard/data/activity.ts";
import { api } from "#dashboard/data/api.ts";
import { onSignOut } from "#dashboard/data/cache.ts";
import { freshResources, resources } from "#dashboard/data/resource.ts";

// Everything that more than one part reads, and how often.

const OFTEN_MS = 2_000;
const NOW_AND_THEN_MS = 10_000;
const SELDOM_MS = 30_000;

/** More than an account with the most projects has live. */
const MOST_DEPLOYMENTS = 1_000;

/** The key of what there is only one of. */
export const ALL = "all";

export const useProjects = resources(() => api.listProjects(), NOW_AND_THEN_MS);
export const useServers = resources(() => api.listServers(), NOW_AND_THEN_MS);
export const useTokens = resources(() => api.listTokens(), SELDOM_MS);
export const useAccount = resources(() => api.getAccount());

/** Whether the token that is signed in with may call an endpoint. Until that is known, every button is shown. */
export function useMay(operation: ClientOperation): boolean {
  const { value: account } = useAccount(ALL);
  if (account === null) return true;
  const { token } = account;
  return lackOf(clientEndpoints[operation].access, token.scopes, token.project_ids !== null) === null;
}

export const useProject = resources(
  (id: ProjectId) => api.getProject({ params: { project_id: id } }),
  NOW_AND_THEN_MS,
);

/** While its agent is awaited it is looked for often. */
export const useServer = resources(
  (id: ServerId) => api.getServer({ params: { server_id: id } }),
  ({ status }) => (status === "pending" ? OFTEN_MS : SELDOM_MS),
);

export const useDeployment = resources(
  (id: DeploymentId) => api.getDeployment({ params: { deployment_id: id } }),
  ({ status }) => (status === "building" ? OFTEN_MS : status === "live" ? NOW_AND_THEN_MS : null),
);

/** What is live in a project, as the only one of a list; nothing may be. */
export const useLive = freshResources(
  (id: ProjectId) => api.listDeployments({ query: { project_id: id, status: "live", limit: 1 } }),
  NOW_AND_THEN_MS,
);

export const useRollbackTargets = freshResources((id: ProjectId) =>
  api.listRollbackTargets({ params: { project_id: id } }),
);

const newActivityReader = () =>
  activityReader({
    latest: () => api.listDeployments({ query: { limit: 100 } }),
    all: (status) =>
      readAll(
        (page) => api.listDeployments({ query: { status, ...page } }),
        ({ deployments }) => deployments,
        MOST_DEPLOYMENTS,
      ),
  });
let readActivity = newActivityReader();
// Whoever signs in next may see other projects of the same account.
onSignOut(() => (readActivity = newActivityReader()));

export const useActivity = resources(
  () => readActivity(),
  ({ building }) => (building.length > 0 ? OFTEN_MS : NOW_AND_THEN_MS / 2),
);
