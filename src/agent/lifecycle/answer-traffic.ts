import type { AgentContext } from "#agent/context/context.ts";
import { applyDrain } from "#agent/ingress/drain.ts";
import { storeFleet } from "#agent/ingress/fleet/fleet-file.ts";
import { applyMaintenance } from "#agent/ingress/maintenance.ts";
import type { Pauses } from "#agent/ingress/pauses.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { FleetState } from "#contract/agent-fleet.ts";
import type { AgentRequestOf, AnswerTo } from "#contract/agent-requests.ts";
import type { PauseResult } from "#contract/endpoints/traffic/pause.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";

// Answers the requests about what visitors and load balancers get: maintenance, pauses and draining. None of the functions
// throws.

const NO_INGRESS = "The server has no Gantry ingress.";

export async function setMaintenance(
  context: AgentContext,
  { request_id, project_id, maintenance }: AgentRequestOf<"set_maintenance">,
): Promise<AnswerTo<"set_maintenance">> {
  const folder = projectFolder(context.home, project_id);
  const failure = await applyMaintenance(context.slots, folder, maintenance).then(
    () => null,
    (error: unknown) => `The server could not change the maintenance: ${messageOf(error)}`,
  );
  if (failure !== null) context.log(`${project_id}: ${failure}`);
  const isUnseen = maintenance.on && (await readCurrent(folder)) !== null && !hasIngress(context, project_id);
  const problem = failure ?? (isUnseen ? `${NO_INGRESS} Visitors do not get the page.` : null);
  return { type: "maintenance_set", request_id, project_id, problem: sentProblem(problem) };
}

export async function setDrain(
  context: AgentContext,
  { request_id, drain }: AgentRequestOf<"set_drain">,
): Promise<AnswerTo<"set_drain">> {
  const failure = await applyDrain(context, drain).then(
    () => null,
    (error: unknown) => `The server could not change its draining: ${messageOf(error)}`,
  );
  if (failure !== null) context.log(failure);
  const isUnseen = drain.since !== null && context.ingress.kind === "none";
  const problem = failure ?? (isUnseen ? `${NO_INGRESS} Load balancers have no ready URL to ask.` : null);
  return { type: "drain_set", request_id, problem: sentProblem(problem) };
}

/** Answers once Caddy is configured, or has refused it. */
export async function setFleet(
  context: AgentContext,
  { request_id, fleet }: AgentRequestOf<"set_fleet">,
): Promise<AnswerTo<"set_fleet">> {
  const { home, ingress, log } = context;
  const answer = { type: "fleet_set", request_id, revision: fleet.revision } as const;
  try {
    await storeFleet(home, fleet);
  } catch (error) {
    const failure = `The server could not store what it does with others: ${messageOf(error)}`;
    log(failure);
    return { ...answer, problem: sentProblem(failure) };
  }
  await ingress.apply();
  return { ...answer, problem: sentProblem(fleetProblem(context, fleet)) };
}

function fleetProblem({ ingress }: AgentContext, { balances, serves }: FleetState): string | null {
  const isAsked = balances.length > 0 || serves.some(({ entry }) => entry === "balancer");
  if (ingress.kind === "none") return isAsked ? NO_INGRESS : null;
  return ingress.problem() ?? ingress.fleetProblem();
}

function sentProblem(problem: string | null): string | null {
  return problem === null ? null : problem.slice(0, 1000).toWellFormed();
}

export async function setPause(
  context: AgentContext,
  pauses: Pauses,
  { request_id, project_id, seconds }: AgentRequestOf<"set_pause">,
): Promise<AnswerTo<"set_pause">> {
  const result = await holdRequests(context, pauses, project_id, seconds);
  return { type: "pause_set", request_id, project_id, result };
}

async function holdRequests(
  context: AgentContext,
  pauses: Pauses,
  projectId: ProjectId,
  seconds: number,
): Promise<PauseResult> {
  if ((await readCurrent(projectFolder(context.home, projectId))) === null)
    return { ok: false, code: "not_live", message: "Nothing of the project is live on its server." };
  if (!hasIngress(context, projectId)) return { ok: false, code: "no_ingress", message: NO_INGRESS };
  try {
    await pauses.hold(projectId, seconds);
    return { ok: true };
  } catch (error) {
    const problem = `The server could not change the pause: ${messageOf(error)}`;
    context.log(`${projectId}: ${problem}`);
    return { ok: false, code: "failed", message: problem.slice(0, 1000).toWellFormed() };
  }
}

/** Whether visitors reach the project through the ingress. The site server of `npm start` counts too. */
function hasIngress({ ingress, sites }: AgentContext, id: ProjectId): boolean {
  return ingress.kind !== "none" || sites.urlOf(id) !== null;
}
