import type { Instruction, RunEvent, RunEventsAnswer, RunResult } from "#contract/agent-events.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, RunId, ServerId } from "#contract/ids.ts";
import { stageDeadline, STOP_CONFIRM_MS } from "#domain/lane/deadlines.ts";
import type { DecisionWith, Effect } from "#domain/lane/decision.ts";
import {
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  type Named,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { noteReport } from "#domain/lane/check-serving.ts";
import { mayHavePermit } from "#domain/lane/run-order.ts";
import { runTimes } from "#domain/lane/run-times.ts";
import { applyEnding, fail, goLive } from "#domain/lane/transitions.ts";

export type ReportedEvents = {
  deploymentId: DeploymentId;
  runId: RunId;
  serverId: ServerId;
  events: readonly RunEvent[];
};

type Progress = { lane: Lane; effects: Effect[] };

/**
 * Applies the events that an agent reports for a run. Each event is applied once, even if the network loses, repeats or
 * reorders requests: known events are skipped, and a gap in the numbers ends the batch. For a run that has ended, the
 * instruction is `ended`. An agent gets the same answer for a run of another server, so it learns nothing about others.
 */
export function decideRunEvents(
  lane: Lane,
  reported: ReportedEvents,
  now: number,
): DecisionWith<RunEventsAnswer> {
  const deployment = findDeployment(lane, reported.deploymentId);
  const isOwn = deployment?.serverId === reported.serverId;
  const run = deployment === null || !isOwn ? null : runningOf(deployment, reported.runId, now);
  if (run === null) {
    const acked_seq = reported.events.at(-1)?.seq ?? 0;
    return { lane, effects: [], value: { acked_seq, instruction: "ended" } };
  }
  const progress: Progress = { lane: replaceDeployment(lane, run), effects: [] };
  // Else the event follows when the agent reports the commit.
  if (deployment?.state.name === "offered" && run.commitSha !== null) progress.effects.push(building(run));
  let ackedSeq = run.state.ackedSeq;
  for (const event of reported.events) {
    if (event.seq <= ackedSeq) continue;
    if (event.seq !== ackedSeq + 1) break;
    ackedSeq = event.seq;
    applyEvent(progress, run.id, event, now);
  }
  return {
    ...progress,
    value: { acked_seq: ackedSeq, instruction: instructionFor(progress.lane, run.id) },
  };
}

/** The run after contact with its agent; null if there is no such run, or if it has ended. */
function runningOf(deployment: LaneDeployment, runId: RunId, now: number): Named<"running"> | null {
  if (deployment.runId !== runId) return null;
  if (isIn(deployment, "running")) {
    return { ...deployment, state: { ...deployment.state, lastContactAt: now } };
  }
  if (!isIn(deployment, "offered")) return null;
  const { plan } = deployment.state;
  const permitted = mayHavePermit(deployment);
  const stage = permitted ? "activate" : "fetch";
  return {
    ...deployment,
    state: {
      name: "running",
      stage,
      startedAt: now,
      deadlineAt: stageDeadline(plan, stage, now),
      lastContactAt: now,
      ackedSeq: 0,
      permitted,
      fetchedSha: null,
      ending: null,
      lastSend: null,
      plan,
    },
  };
}

function applyEvent(progress: Progress, id: DeploymentId, event: RunEvent, now: number): void {
  const run = findDeployment(progress.lane, id);
  if (run === null || !isIn(run, "running")) return;
  const state = { ...run.state, ackedSeq: event.seq };
  const keep = (changed: Partial<LaneDeployment>) => {
    progress.lane = replaceDeployment(progress.lane, { ...run, state, ...changed });
  };
  const stop = (message: string) => {
    if (state.ending !== null || state.permitted) return keep({});
    const failure: DeploymentFailure = { code: "internal", message, stage: state.stage };
    progress.effects.push({
      type: "log",
      deploymentId: id,
      stage: state.stage,
      message: `Stopping: ${message}`,
    });
    const deadlineAt = now + STOP_CONFIRM_MS;
    return keep({ state: { ...state, ending: { type: "fail", failure }, lastSend: null, deadlineAt } });
  };
  switch (event.type) {
    case "output":
      progress.effects.push({ type: "output", deploymentId: id, lines: event.lines });
      return keep({});
    case "framework":
      progress.effects.push({ type: "detected", preset: event.preset });
      return keep({});
    case "resolved": {
      const wrong = wrongCommit(run, event.commit_sha);
      if (wrong !== null) return stop(wrong);
      state.fetchedSha = event.commit_sha;
      const resolved = { ...run, state, commitSha: event.commit_sha, commitMessage: event.commit_message };
      if (run.commitSha === null) progress.effects.push(building(resolved));
      if (asksRepository(run))
        progress.effects.push({ type: "repository_read", repository: state.plan.repository });
      return keep(resolved);
    }
    case "stage": {
      if (state.ending !== null) return keep({});
      return keep({
        state: { ...state, stage: event.stage, deadlineAt: stageDeadline(state.plan, event.stage, now) },
      });
    }
    case "ready": {
      const wrong = wrongCommit(run, state.fetchedSha);
      if (wrong !== null) return stop(wrong);
      return keep(state.ending === null ? { state: { ...state, permitted: true } } : {});
    }
    case "result": {
      const { createdAt } = run;
      const { stages, startedAt } = runTimes(
        { createdAt, startedAt: state.startedAt, finishedAt: now },
        event.stages ?? [],
      );
      const finished = { ...run, state: { ...state, startedAt }, stages };
      keep(finished);
      const ended = conclude(progress.lane, finished, event.result, event.project, now);
      progress.lane = noteReport(ended.lane, run.serverId, event.project);
      progress.effects.push(
        { type: "serving", serverId: run.serverId, report: event.project },
        ...ended.effects,
      );
    }
  }
}

/**
 * Whether the agent learns the commit from the repository: what a branch points to. A commit that the request names, or
 * that was deployed before, may be on the server already, and come from another repository.
 */
function asksRepository({ kind, requestedCommit }: LaneDeployment): boolean {
  return kind === "deploy" && requestedCommit === null;
}

/** A run has begun, and its commit is known. */
function building(run: Named<"running">): Effect {
  return {
    type: "event",
    event: "deployment.building",
    deployment: run,
    plan: run.state.plan,
    actor: run.actor,
  };
}

/** Ends the run: with the ending that was decided before, or else with the agent's result. */
function conclude(lane: Lane, run: Named<"running">, result: RunResult, report: ProjectReport, now: number) {
  switch (result.outcome) {
    case "live": {
      if (!run.state.permitted) {
        const message = "the agent switched to the release without a permit";
        return fail(lane, run, { code: "internal", message, stage: "activate" }, now, run.actor);
      }
      const wrong = wrongCommit(run, result.evidence.commit_sha);
      if (wrong !== null)
        return fail(lane, run, { code: "internal", message: wrong, stage: "activate" }, now, run.actor);
      return goLive(
        lane,
        { ...run, commitSha: run.commitSha ?? result.evidence.commit_sha },
        {
          name: "live",
          startedAt: run.state.startedAt,
          finishedAt: now,
          release: result.release,
          releaseKept: report.releases.includes(result.release),
          evidence: result.evidence,
        },
      );
    }
    case "failed":
      return run.state.ending === null
        ? fail(lane, run, result.failure, now, run.actor)
        : applyEnding(lane, run, run.state.ending, now);
    case "canceled":
      return applyEnding(lane, run, run.state.ending ?? { type: "fail", failure: unrequestedStop(run) }, now);
  }
}

/** Why the agent may not activate the fetched commit; null: it is the approved commit, or no commit was approved. */
function wrongCommit({ pin }: Named<"running">, fetched: string | null): string | null {
  if (pin.name !== "pinned" || pin.sha === fetched) return null;
  return `the agent has fetched ${fetched ?? "an unknown commit"}, but the approved commit is ${pin.sha}`;
}

function unrequestedStop(run: Named<"running">): DeploymentFailure {
  return { code: "internal", message: "the agent stopped the run without a request", stage: run.state.stage };
}

function instructionFor(lane: Lane, id: DeploymentId): Instruction {
  const run = findDeployment(lane, id);
  if (run === null || !isIn(run, "running")) return "ended";
  if (run.state.permitted) return "activate";
  return run.state.ending === null ? "continue" : "stop";
}
