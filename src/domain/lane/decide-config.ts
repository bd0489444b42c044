import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { type Asked, join, type Joined } from "#domain/lane/decide-start.ts";
import { isIn, type Lane, type LaneDeployment, liveOf } from "#domain/lane/lane.ts";
import { codeOf } from "#domain/lane/transitions.ts";
import { currentVariables } from "#domain/lane/variables.ts";

/** `restart`: the processes whose instances are all replaced. */
export type ConfigRequest = Asked & { readonly restart: readonly ProcessName[] };

/**
 * Queues a deployment of the live code with the current variables and settings, without a build. What is live may change
 * until its turn comes, so `advance` decides which code it is: a deployment that was started before is not undone. Until
 * then it shows the code that is live now.
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
  return join(lane, request, now, {
    ...codeOf(source),
    kind: "config",
    rollbackOf: null,
    clearCache: false,
    restart: [...request.restart],
    variables: variables.value,
  });
}

/** The newest deployment that brings code and may go live before a new one is offered; null if there is none. */
function mayGoLive(lane: Lane): LaneDeployment | null {
  const isComing = (one: LaneDeployment) => {
    if (one.deleted || one.kind === "config") return false;
    if (isIn(one, "running")) return one.state.ending === null;
    return isIn(one, "queued", "offered");
  };
  return lane.deployments.findLast(isComing) ?? null;
}
