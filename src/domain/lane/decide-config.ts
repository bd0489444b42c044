import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { type NewDeploymentRequest, join, type Joined } from "#domain/lane/decide-start.ts";
import { isIn, type Lane, type LaneDeployment, liveOf, Plan } from "#domain/lane/lane.ts";
import { configChanges } from "#domain/lane/config-changes.ts";
import { codeOf } from "#domain/lane/transitions.ts";
import { isEnding } from "#domain/lane/runs.ts";
import { currentVariables } from "#domain/lane/variables.ts";

/**
 * `restart`: the processes whose instances are all replaced. `onlyScale`: the request changes no more than the number of
 * instances, or stops or starts a process. `repositoryInstances`: how many instances the repository wants of its
 * processes, if not one.
 */
export type ConfigRequest = NewDeploymentRequest & {
  readonly restart: readonly ProcessName[];
  readonly onlyScale: boolean;
  readonly repositoryInstances: Readonly<Record<string, number>>;
};

/**
 * Queues a deployment of the live code with the current variables and settings, without a build. The live release may
 * change until this deployment's turn comes, so `advance` decides which code it deploys: a deployment that was started
 * before is not undone. Until then it shows the code that is live now.
 *
 * If the newest deployment has not ended and applies exactly the same, the answer is that deployment, so that a change
 * of settings that is sent twice starts one deployment.
 */
export function decideConfig(
  lane: Lane,
  request: ConfigRequest,
  now: number,
): Result<Joined, "not_live" | "queue_full" | "secrets_not_sealed"> {
  const source = liveOf(lane) ?? mayGoLive(lane);
  if (source === null) return refuse("not_live", "The project has no live deployment. Deploy it first.");
  const variables = currentVariables(request.variables, lane.deployments);
  if (!variables.ok) return variables;
  const restart = [...request.restart];
  const same = sameWaiting(lane, { ...request, variables: variables.value });
  if (same !== null && restart.length === 0)
    return succeed({ lane, effects: [], value: { id: same.id, version: same.version } });
  const { plan, repositoryInstances } = request;
  const applied = { plan, restart, repositoryInstances, variables: variables.value };
  return join(lane, request, now, {
    ...codeOf(source),
    repositoryInstances,
    changes: configChanges(liveOf(lane), applied),
    kind: "config",
    rollbackOf: null,
    clearCache: false,
    runWith: null,
    restart,
    onlyScale: request.onlyScale ?? false,
    variables: variables.value,
  });
}

/** The newest deployment, if it has not ended and applies the same without a restart; null otherwise. */
function sameWaiting(
  lane: Lane,
  asked: Pick<ConfigRequest, "serverId" | "plan" | "onlyScale" | "emergency"> &
    Pick<LaneDeployment, "variables">,
): LaneDeployment | null {
  const newest = lane.deployments.at(-1);
  if (newest === undefined || newest.deleted || newest.kind !== "config" || newest.restart.length > 0)
    return null;
  if (!isIn(newest, "queued", "active")) return null;
  if (isIn(newest, "active") && isEnding(newest)) return null;
  // In a hold, a change of scale leaves out what else differs. An emergency has its own reason.
  if (newest.onlyScale !== (asked.onlyScale ?? false) || newest.emergency !== (asked.emergency ?? null))
    return null;
  const textOf = (one: Pick<LaneDeployment, "serverId" | "variables">, plan: Plan) =>
    JSON.stringify([one.serverId, one.variables, Plan.parse(plan)]);
  return textOf(newest, newest.state.plan) === textOf(asked, asked.plan) ? newest : null;
}

/** The newest deployment that brings code and may go live before a new one is offered; null if there is none. */
function mayGoLive(lane: Lane): LaneDeployment | null {
  const isComing = (one: LaneDeployment) => {
    if (one.deleted || one.kind === "config") return false;
    return isIn(one, "queued") || (isIn(one, "active") && !isEnding(one));
  };
  return lane.deployments.findLast(isComing) ?? null;
}
