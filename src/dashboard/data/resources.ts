import { readAll } from "#client/read-all.ts";
import { clientEndpoints, type ClientOperation } from "#contract/endpoints/client-endpoints.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { token } from "#contract/endpoints/endpoint-defaults.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { missingPermission, type Place } from "#contract/may-call.ts";
import { permissionsIn, reachOf } from "#contract/permissions.ts";
import type { Scope } from "#contract/scopes.ts";
import { activityReader } from "#dashboard/data/activity.ts";
import { api } from "#dashboard/data/api.ts";
import { onSignOut } from "#dashboard/data/cache.ts";
import { ALL, FAST_POLL_MS, freshResources, POLL_MS, resources } from "#dashboard/data/resource.ts";

export { ALL };

// The data that several components read, how often it is polled, and which events concern it.

const SLOW_POLL_MS = 30_000;

/** More live deployments than an account can have. */
const MOST_DEPLOYMENTS = 1_000;

export const useProjects = resources(
  () => api.listProjects(),
  POLL_MS,
  "project deployment process cron certificate",
);
// Servers are polled: what their agents report, and a short disconnect, is no event.
export const useServers = resources(() => api.listServers(), POLL_MS);
export const useTokens = resources(() => api.listTokens(), SLOW_POLL_MS, "token");
export const useAccount = resources(() => api.getAccount(), null, "account");

type Called = Pick<Endpoint, "access">;

/** A function that says whether the current token may call an endpoint. It allows all until the account is loaded. */
export function useMayCall(): (endpoint: Called, place?: Place) => boolean {
  const { value: account } = useAccount(ALL);
  if (account === null) return () => true;
  const permissions = permissionsIn(account);
  return ({ access }, place) => missingPermission(access, permissions, place) === null;
}

/**
 * Whether the current token may call an endpoint. True until the account is loaded.
 * @param place what the call is about; omitted: something in any project
 */
export function useMay(operation: ClientOperation, place?: Place): boolean {
  return useAllowed(clientEndpoints[operation], place);
}

/** As `useMay`, for an endpoint of another table. */
export function useAllowed(endpoint: Called, place?: Place): boolean {
  return useMayCall()(endpoint, place);
}

/** The projects in which the current token may call an endpoint; null: the whole account. Null until the account is loaded. */
export function useReach({ access }: Called): readonly ProjectId[] | null {
  const { value: account } = useAccount(ALL);
  return account === null || access.by !== "token" ? null : reachOf(permissionsIn(account), access.scope);
}

/** Whether the current token has a scope that only a field of a request needs. False until the account is loaded. */
export function useHasScope(scope: Scope, place?: Place): boolean {
  const { value: account } = useAccount(ALL);
  return account !== null && missingPermission(token(scope), permissionsIn(account), place) === null;
}

export const useProject = resources(
  (id: ProjectId) => api.getProject({ params: { project_id: id } }),
  POLL_MS,
  "project deployment variables process cron certificate",
);

/** The deployments of all projects that have not ended. */
export const useUnfinished = resources(
  () => api.listDeployments({ query: { status: "building", limit: 100 } }),
  POLL_MS,
  "deployment",
);

/** Its server makes the key at the first read. */
export const useDeployKey = freshResources((id: ProjectId) =>
  api.getDeployKey({ params: { project_id: id } }),
);

/** Polled often until the agent has connected. */
export const useServer = resources(
  (id: ServerId) => api.getServer({ params: { server_id: id } }),
  ({ status }) => (status === "pending" ? FAST_POLL_MS : SLOW_POLL_MS),
);

export const useDeployment = resources(
  (id: DeploymentId) => api.getDeployment({ params: { deployment_id: id } }),
  ({ status }) => (status === "building" ? FAST_POLL_MS : status === "live" ? POLL_MS : null),
  "deployment",
);

const readLive = (id: ProjectId) =>
  api.listDeployments({ query: { project_id: id, status: "live", limit: 1 } });

/** The live deployment of a project, as a list with one entry or none. */
export const useLive = freshResources(readLive, POLL_MS, "deployment");

/**
 * The same for a dialog in which the user confirms a change of it. As the targets of a rollback, it is not read again when
 * another deployment goes live: what the user confirms must not change in the moment of the click.
 */
export const useLiveToConfirm = freshResources(readLive);

export const useRollbackTargets = freshResources((id: ProjectId) =>
  api.listRollbackTargets({ params: { project_id: id } }),
);

const newActivityReader = () =>
  activityReader({
    latest: () => api.listDeployments({ query: { limit: 100 } }),
    all: (status) =>
      readAll(
        ({ query }) => api.listDeployments({ query: { status, ...query } }),
        ({ deployments }) => deployments,
        MOST_DEPLOYMENTS,
      ),
  });
let readActivity = newActivityReader();
// The next session may have access to other projects.
onSignOut(() => (readActivity = newActivityReader()));

export const useActivity = resources(
  () => readActivity(),
  ({ building }) => (building.length > 0 ? FAST_POLL_MS : POLL_MS / 2),
  "deployment project",
);
