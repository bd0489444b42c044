import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { RunId, ServerId } from "#contract/ids.ts";
import { checkServing, type ServingCheck, noteReport } from "#domain/lane/check-serving.ts";
import type { DecisionWith } from "#domain/lane/decision.ts";
import { placementOf, replacePlacement, requestRemoval } from "#domain/lane/placements.ts";
import { retryCatchUp } from "#domain/lane/catch-up.ts";
import { type Lane, liveOf, type Run } from "#domain/lane/lane.ts";
import { requestCommitsAgain } from "#domain/lane/pins.ts";
import { rollOut } from "#domain/lane/roll-out.ts";
import { isMemberOf, isPreapproved, servedOn } from "#domain/lane/run-order.ts";
import {
  type Carried,
  carriedWith,
  endRun,
  isRunIn,
  replaceRun,
  type RunIn,
  runOn,
} from "#domain/lane/runs.ts";

/** The part of an agent's `hello` that concerns one project. */
export type AgentHello = {
  serverId: ServerId;
  /** null: the server has no files of the project. */
  report: ProjectReport | null;
  /** The runs that the agent has accepted and whose results are not stored yet, including leftovers of earlier runs. */
  runIds: readonly RunId[];
  /** When the agent sent it, in Unix milliseconds; omitted: now. It can reach the lane late. */
  sentAt?: number;
};

/** The check of what the server serves; null if it has no files of the project, or if the report is too old. */
export type Reconciliation = { readonly serving: ServingCheck | null };

/**
 * Compares the state of the agent with the lane. A missed offer or stop is sent again. A run that the agent no longer
 * knows has failed, or ended as requested. If the server serves another release than the live one, the check in the
 * result says so. A server that the project has left gets a removal message.
 */
export function reconcile(lane: Lane, hello: AgentHello, now: number): DecisionWith<Reconciliation> {
  const { serverId, sentAt = Infinity } = hello;
  // The report does not include a deployment that went live after it was sent.
  const report = sentAt < (liveOf(lane)?.state.finishedAt ?? 0) ? null : hello.report;
  const asked = requestCommitsAgain(lane, serverId);
  const noted = requestLateRemoval(report === null ? asked : noteReport(asked, serverId, report), {
    serverId,
    report,
  });
  const run = runOn(noted, serverId);
  const deployment = run === null ? null : carriedWith(noted, run.id);
  const decided =
    deployment === null || run === null
      ? noted
      : replaceRun(noted, afterHello(noted, deployment, run, hello, now));
  const decision = rollOut(retryCatchUp(decided, serverId, now), now);
  const serving = report === null ? null : checkServing(decision.lane, { serverId, report });
  return { ...decision, value: { serving } };
}

/** A run after its agent has connected again: what was sent to the agent is sent again, and a run that it does not know is lost. */
function afterHello(lane: Lane, deployment: Carried, run: Run, hello: AgentHello, now: number): Run {
  if (isRunIn(run, "offered"))
    return {
      ...run,
      state: { ...run.state, lastSend: null, permit: permitAfter(lane, deployment, run, hello) },
    };
  if (!isRunIn(run, "running")) return run;
  // The agent could not name a run that started after the report was sent.
  const isLost = !hello.runIds.includes(run.id) && run.state.startedAt <= (hello.sentAt ?? Infinity);
  if (isLost) return endRun(run, lostRun(run));
  return { ...run, state: { ...run.state, lastSend: null, lastContactAt: now } };
}

/**
 * The permit after a `hello`. An agent that names the run has its order, even if a later attempt to send the order
 * failed. An agent that does not name the run may still have the order, because the order can be newer than the `hello`.
 */
function permitAfter(lane: Lane, deployment: Carried, run: RunIn<"offered">, { runIds }: AgentHello) {
  const { permit } = run.state;
  const isApproved = permit === "sending" || isPreapproved(lane, deployment, run);
  return runIds.includes(run.id) && isApproved ? "sent" : permit;
}

/** The failure of a run that the agent no longer knows, if it was not told to end. */
function lostRun({ state: { stage } }: RunIn<"running">): DeploymentFailure {
  return { code: "server_lost", message: "the agent reconnected without the run", stage };
}

/** Requests the removal again, or for the first time if the server has files of a project that is live elsewhere. */
function requestLateRemoval(lane: Lane, { serverId, report }: Pick<AgentHello, "serverId" | "report">): Lane {
  const placement = placementOf(lane, serverId);
  const live = liveOf(lane);
  if (placement === null) return lane;
  const hasFiles = report !== null && (report.release !== null || report.releases.length > 0);
  // A server that only builds may have files of a build, and serves nothing.
  const onlyBuilds = live?.state.plan?.builder === serverId && report?.release === null;
  const isMember = live !== null && isMemberOf(live, serverId);
  const isElsewhere = live !== null && servedOn(live, serverId) === null && !isMember && !onlyBuilds;
  if (placement.state.name !== "leaving" && !(isElsewhere && hasFiles)) return lane;
  return replacePlacement(lane, requestRemoval(placement, false));
}
