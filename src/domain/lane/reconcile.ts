import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { RunId, ServerId } from "#contract/ids.ts";
import { checkServing, type ServingCheck } from "#domain/lane/check-serving.ts";
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
import { noteReport } from "#domain/lane/note-report.ts";
import { isPreapproved } from "#domain/lane/run-order.ts";
import { applyEnding } from "#domain/lane/transitions.ts";

/** What an agent that has just connected says of one project. */
export type AgentHello = {
  serverId: ServerId;
  /** null: it has no files of the project. */
  report: ProjectReport | null;
  /** The runs that it has taken and whose results have not been stored: what is left of earlier ones, too. */
  runIds: readonly RunId[];
  /** When the agent said it, in Unix milliseconds; left out: just now. It can reach the lane late. */
  saidAt?: number;
};

/** What follows from what the server serves; null: it has no files of the project, or has said so too long ago. */
export type Reconciliation = { readonly serving: ServingCheck | null };

/**
 * Compares what the agent has with what it should have. An offer or a stop that it missed becomes due again; a run
 * that it does not know any more has failed, or ended as it was told to; a release that is not the live one is to be
 * restored; a server that the project has left is told so.
 */
export function reconcile(lane: Lane, hello: AgentHello, now: number): DecisionWith<Reconciliation> {
  const { serverId, saidAt = Infinity } = hello;
  // What has gone live since then is not in the report.
  const report = saidAt < (liveOf(lane)?.state.finishedAt ?? 0) ? null : hello.report;
  const noted = requestLateRemoval(report === null ? lane : noteReport(lane, serverId, report), {
    serverId,
    report,
  });
  const active = activeOf(noted);
  const answered = (decision: Decision) => {
    const serving = report === null ? null : checkServing(decision.lane, { serverId, report });
    return { ...decision, value: { serving } };
  };
  if (active === null || active.serverId !== serverId) return answered({ lane: noted, effects: [] });
  // A run that has begun since then is none that the agent could have named.
  const isLost =
    isIn(active, "running") && !hello.runIds.includes(active.runId) && active.state.startedAt <= saidAt;
  if (isLost) return answered(applyEnding(noted, active, active.state.ending ?? lostRun(active), now));
  const resent = isIn(active, "offered")
    ? { ...active, state: { ...active.state, lastSend: null, permit: permitAfter(noted, active, hello) } }
    : { ...active, state: { ...active.state, lastSend: null, lastContactAt: now } };
  return answered({ lane: replaceDeployment(noted, resent), effects: [] });
}

/**
 * An agent that names the run has an order, so no failure to send it again says otherwise. One that does not name it proves
 * nothing: the order may have gone out since it said so.
 */
function permitAfter(lane: Lane, offered: Named<"offered">, { runIds }: AgentHello) {
  const { permit } = offered.state;
  const hasPermit = runIds.includes(offered.runId) && (permit === "sending" || isPreapproved(lane, offered));
  return hasPermit ? "sent" : permit;
}

/** Where nothing else was decided of a run that its agent does not know any more. */
function lostRun({ state }: Named<"running">): Ending {
  const message = "the agent came back without the run";
  return { type: "fail", failure: { code: "server_lost", message, stage: state.stage } };
}

/** Tells a server to let go of the project, if it must: again, or because it has files although the project is live elsewhere. */
function requestLateRemoval(lane: Lane, { serverId, report }: Pick<AgentHello, "serverId" | "report">): Lane {
  const placement = placementOf(lane, serverId);
  const live = liveOf(lane);
  if (placement === null) return lane;
  const holdsOn = report !== null && (report.release !== null || report.releases.length > 0);
  const isElsewhere = live !== null && live.serverId !== serverId;
  if (placement.state.name !== "leaving" && !(isElsewhere && holdsOn)) return lane;
  return replacePlacement(lane, requestRemoval(placement, false));
}
