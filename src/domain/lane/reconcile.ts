import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { RunId, ServerId } from "#contract/ids.ts";
import { checkServing, type ServingCheck, noteReport } from "#domain/lane/check-serving.ts";
import type { Decision, DecisionWith } from "#domain/lane/decision.ts";
import { placementOf, replacePlacement, requestRemoval } from "#domain/lane/placements.ts";
import {
  activeOf,
  type Ending,
  isIn,
  type Lane,
  liveOf,
  type Named,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { requestCommitsAgain } from "#domain/lane/pins.ts";
import { isPreapproved } from "#domain/lane/run-order.ts";
import { applyEnding } from "#domain/lane/transitions.ts";

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
  const active = activeOf(noted);
  const answered = (decision: Decision) => {
    const serving = report === null ? null : checkServing(decision.lane, { serverId, report });
    return { ...decision, value: { serving } };
  };
  if (active === null || active.serverId !== serverId) return answered({ lane: noted, effects: [] });
  // The agent could not name a run that started after the report was sent.
  const isLost =
    isIn(active, "running") && !hello.runIds.includes(active.runId) && active.state.startedAt <= sentAt;
  if (isLost) return answered(applyEnding(noted, active, active.state.ending ?? lostRun(active), now));
  const resent = isIn(active, "offered")
    ? { ...active, state: { ...active.state, lastSend: null, permit: permitAfter(noted, active, hello) } }
    : { ...active, state: { ...active.state, lastSend: null, lastContactAt: now } };
  return answered({ lane: replaceDeployment(noted, resent), effects: [] });
}

/**
 * The permit after a `hello`. An agent that names the run has its order, even if a later attempt to send the order
 * failed. An agent that does not name the run may still have the order, because the order can be newer than the `hello`.
 */
function permitAfter(lane: Lane, offered: Named<"offered">, { runIds }: AgentHello) {
  const { permit } = offered.state;
  const hasPermit = runIds.includes(offered.runId) && (permit === "sending" || isPreapproved(lane, offered));
  return hasPermit ? "sent" : permit;
}

/** The ending of a run that the agent no longer knows, if no other ending was decided. */
function lostRun({ state }: Named<"running">): Ending {
  const message = "the agent reconnected without the run";
  return { type: "fail", failure: { code: "server_lost", message, stage: state.stage } };
}

/** Requests the removal again, or for the first time if the server has files of a project that is live elsewhere. */
function requestLateRemoval(lane: Lane, { serverId, report }: Pick<AgentHello, "serverId" | "report">): Lane {
  const placement = placementOf(lane, serverId);
  const live = liveOf(lane);
  if (placement === null) return lane;
  const hasFiles = report !== null && (report.release !== null || report.releases.length > 0);
  const isElsewhere = live !== null && live.serverId !== serverId;
  if (placement.state.name !== "leaving" && !(isElsewhere && hasFiles)) return lane;
  return replacePlacement(lane, requestRemoval(placement, false));
}
