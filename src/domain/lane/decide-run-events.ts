import type { Instruction, RunEvent, RunEventsAnswer, RunResult } from "#contract/agent-events.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, RunId, ServerId } from "#contract/ids.ts";
import { stageDeadline, toStop } from "#domain/lane/deadlines.ts";
import type { DecisionWith, Effect } from "#domain/lane/decision.ts";
import {
  activeOf,
  isIn,
  type Lane,
  type LaneDeployment,
  type Named,
  type Plan,
  replaceDeployment,
  type Run,
} from "#domain/lane/lane.ts";
import { noteReport } from "#domain/lane/check-serving.ts";
import { rollOut } from "#domain/lane/roll-out.ts";
import { mayHavePermit } from "#domain/lane/run-order.ts";
import { runTimes } from "#domain/lane/run-times.ts";
import { withSentBuild } from "#domain/lane/stored-builds.ts";
import {
  awaitsPermit,
  broken,
  type Carried,
  carriedWith,
  currentRuns,
  deploying,
  endRun,
  hasSeveral,
  isRunIn,
  type RunIn,
  runsOf,
  startOf,
  withCurrentRun,
} from "#domain/lane/runs.ts";

export type ReportedEvents = {
  deploymentId: DeploymentId;
  runId: RunId;
  serverId: ServerId;
  events: readonly RunEvent[];
};

/** How often an agent asks for its permit while other servers prepare. A message tells it when it has the permit. */
const PERMIT_POLL_SECONDS = 20;

/** Whether the runs of a deployment are on several servers. */
function isFleet(deployment: Carried): boolean {
  return isIn(deployment, "active")
    ? hasSeveral(deployment.state)
    : deployment.state.plan?.fleet !== undefined;
}

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
  const found = findRun(lane, reported);
  const run = found === null ? null : afterContact(found.deployment, found.run, now);
  if (found === null || run === null) {
    const acked_seq = reported.events.at(-1)?.seq ?? 0;
    return { lane, effects: [], value: { acked_seq, instruction: "ended" } };
  }
  const { deployment } = found;
  const begun = withCurrentRun(deployment, run);
  const progress: Progress = { lane: replaceDeployment(lane, begun), effects: [] };
  const isFirst = startOf(deployment) === null && startOf(begun) !== null;
  // Else the event follows when the agent reports the commit.
  if (isFirst && deployment.commitSha !== null && isIn(begun, "active"))
    progress.effects.push(building(begun));
  const applyRules = () => {
    const { lane: next, effects } = rollOut(progress.lane, now);
    progress.lane = next;
    progress.effects.push(...effects);
  };
  let ackedSeq = run.state.ackedSeq;
  for (const event of reported.events) {
    if (event.seq <= ackedSeq) continue;
    if (event.seq !== ackedSeq + 1) break;
    ackedSeq = event.seq;
    applyEvent(progress, run.id, event, now);
    applyRules();
  }
  if (ackedSeq === run.state.ackedSeq) applyRules();
  const { lane: next, effects } = progress;
  // The answer tells this agent.
  const others = effects.filter((one) => one.type !== "permitted" || one.runId !== run.id);
  const waits =
    isFleet(deployment) && currentRuns(next).some((one) => one.id === run.id && awaitsPermit(one));
  return {
    lane: next,
    effects: others,
    value: {
      acked_seq: ackedSeq,
      instruction: instructionFor(next, reported),
      ...(waits ? { poll_seconds: PERMIT_POLL_SECONDS } : {}),
    },
  };
}

/** A current run and its deployment; null: there is no such run on this server, or it has ended. */
function findRun(
  lane: Lane,
  { deploymentId, runId, serverId }: Omit<ReportedEvents, "events">,
): { readonly deployment: Carried; readonly run: Run } | null {
  const deployment = carriedWith(lane, runId);
  if (deployment === null || deployment.id !== deploymentId) return null;
  const run = runsOf(deployment).find((one) => one.id === runId && one.serverId === serverId);
  return run === undefined ? null : { deployment, run };
}

/** The run after contact with its agent; null: it has ended, or its agent cannot know of it. */
function afterContact(deployment: Carried, run: Run, now: number): RunIn<"running"> | null {
  if (isRunIn(run, "running")) return { ...run, state: { ...run.state, lastContactAt: now } };
  const { plan } = deployment.state;
  if (!isRunIn(run, "offered") || plan === null) return null;
  const permitted = mayHavePermit(deployment, run);
  const stage = permitted ? "activate" : "fetch";
  return {
    ...run,
    state: {
      name: "running",
      stage,
      startedAt: now,
      deadlineAt: stageDeadline(plan, stage, now),
      lastContactAt: now,
      ackedSeq: 0,
      ready: permitted,
      permitted,
      fetchedSha: null,
      ending: null,
      lastSend: null,
    },
  };
}

function applyEvent(progress: Progress, id: RunId, event: RunEvent, now: number): void {
  const deployment = carriedWith(progress.lane, id);
  const run = currentRuns(progress.lane).find((one) => one.id === id);
  const plan = deployment?.state.plan ?? null;
  if (deployment === null || plan === null || run === undefined || !isRunIn(run, "running")) return;
  // The log of a live deployment has ended.
  const isActive = isIn(deployment, "active");
  const state = { ...run.state, ackedSeq: event.seq };
  const keep = (changed: Partial<typeof state> = {}, of: Partial<LaneDeployment> = {}) => {
    const kept = withCurrentRun(deployment, { ...run, state: { ...state, ...changed } });
    progress.lane = replaceDeployment(progress.lane, { ...kept, ...of });
  };
  const log = (message: string) => {
    if (isActive)
      progress.effects.push({ type: "log", deploymentId: deployment.id, stage: state.stage, message });
  };
  const stop = (message: string) => {
    if (state.ending !== null || state.permitted) return keep();
    const failure: DeploymentFailure = { code: "internal", message, stage: state.stage };
    log(`Stopping: ${message}`);
    return keep(toStop(state, { type: "fail", failure }, now));
  };
  switch (event.type) {
    case "output":
      if (!isActive) return keep();
      progress.effects.push({
        type: "output",
        deploymentId: deployment.id,
        serverId: isFleet(deployment) ? run.serverId : null,
        lines: event.lines,
      });
      return keep();
    case "artifact":
      // Also if the run is to end: what is stored has to be removed.
      return keep({}, withSentBuild(deployment, run, event.artifact));
    case "framework":
      progress.effects.push({ type: "detected", preset: event.preset });
      return keep();
    case "resolved": {
      const { commit_sha: commitSha, commit_message: commitMessage } = event;
      if (run.goesBackTo !== null) return keep({ fetchedSha: commitSha });
      const wrong = wrongCommit(deployment, plan, commitSha);
      if (wrong !== null) return stop(wrong);
      if (!isActive) return keep({ fetchedSha: commitSha });
      // A server that takes a build has no repository, and does not know the message.
      const isKnown = deployment.commitSha !== null && commitMessage === "";
      const message = isKnown ? deployment.commitMessage : commitMessage;
      keep({ fetchedSha: commitSha }, { commitSha, commitMessage: message });
      const resolved = activeOf(progress.lane);
      if (deployment.commitSha === null && resolved !== null) progress.effects.push(building(resolved));
      if (asksRepository(deployment))
        progress.effects.push({ type: "repository_read", repository: plan.repository });
      return;
    }
    case "stage": {
      if (state.ending !== null) return keep();
      return keep({ stage: event.stage, deadlineAt: stageDeadline(plan, event.stage, now) });
    }
    case "ready": {
      const wrong = run.goesBackTo === null ? wrongCommit(deployment, plan, state.fetchedSha) : null;
      if (wrong !== null) return stop(wrong);
      if (run.builds === "only") return stop("the agent has not sent its build");
      return keep(state.ending === null ? { ready: true } : {});
    }
    case "result": {
      const { createdAt } = deployment;
      const isOfFirst = isIn(deployment, "active") && deploying(deployment)[0]?.id === id;
      const times = { createdAt, startedAt: state.startedAt, finishedAt: now };
      const { stages, startedAt } = runTimes(times, event.stages ?? []);
      const { result, project } = event;
      const ended = ending(deployment, plan, { ...run, state: { ...state, startedAt } }, result, project);
      const commitSha = result.outcome === "live" ? result.evidence.commit_sha : null;
      const kept = {
        ...withCurrentRun(deployment, ended),
        // How long it took on the first server.
        stages: isOfFirst ? stages : deployment.stages,
        commitSha: deployment.commitSha ?? (ended.state.name === "switched" ? commitSha : null),
      };
      progress.lane = noteReport(replaceDeployment(progress.lane, kept), run.serverId, project);
      const { serverId } = run;
      // Nothing of the project runs there.
      if (run.builds === "only") return;
      const isFirst = serverId === deployment.serverId;
      progress.effects.push({ type: "serving", serverId, isFirst, report: project });
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
function building(run: Named<"active">): Effect {
  return {
    type: "event",
    event: "deployment.building",
    deployment: run,
    plan: run.state.plan,
    actor: run.actor,
  };
}

/** The run after the agent's result: with the ending that was decided before, or else with the result. */
function ending(
  deployment: Carried,
  plan: Plan,
  run: RunIn<"running">,
  result: RunResult,
  { releases }: ProjectReport,
): Run {
  switch (result.outcome) {
    case "live": {
      const { release, evidence } = result;
      const isOther = run.goesBackTo === null ? wrongCommit(deployment, plan, evidence.commit_sha) : null;
      const wrong = run.state.permitted ? isOther : "the agent switched to the release without a permit";
      if (wrong !== null)
        return broken(run, { code: "internal", message: wrong, stage: "activate" }, { isReported: true });
      const { startedAt } = run.state;
      const releaseKept = releases.includes(release);
      return { ...run, state: { name: "switched", startedAt, release, releaseKept, evidence } };
    }
    case "failed":
      return run.state.ending === null ? broken(run, result.failure, { isReported: true }) : endRun(run);
    case "built":
      if (run.state.ending !== null) return endRun(run);
      if (run.builds !== "only" || deployment.build === undefined)
        return broken(run, missingBuild(run), { isReported: true });
      return { ...run, state: { name: "built", startedAt: run.state.startedAt } };
    case "canceled":
      return run.state.ending === null
        ? broken(run, unrequestedStop(run), { isReported: false })
        : endRun(run);
  }
}

/**
 * Why the agent may not activate the fetched commit; null: it is the approved commit, or the commit of the other servers, or
 * any commit may be activated.
 */
function wrongCommit(
  { kind, pin, state, commitSha, build }: Carried,
  { fleet }: Plan,
  fetched: string | null,
): string | null {
  const got = `the agent has fetched ${fetched ?? "an unknown commit"}`;
  if (pin.name === "pinned")
    return pin.sha === fetched ? null : `${got}, but the approved commit is ${pin.sha}`;
  // An agent that still has the code fetches nothing. Its result names the commit.
  const mayHaveCode = kind !== "deploy" || state.name === "live";
  if (fetched === null && mayHaveCode) return null;
  const isShared = fleet !== undefined || build !== undefined;
  if (!isShared || commitSha === null || commitSha === fetched) return null;
  return `${got}, but the other servers deploy ${commitSha}`;
}

function missingBuild({ state }: RunIn<"running">): DeploymentFailure {
  return { code: "internal", message: "the agent has ended without a build for others", stage: state.stage };
}

function unrequestedStop({ state }: RunIn<"running">): DeploymentFailure {
  return { code: "internal", message: "the agent stopped the run without a request", stage: state.stage };
}

function instructionFor(lane: Lane, reported: Omit<ReportedEvents, "events">): Instruction {
  const run = findRun(lane, reported)?.run;
  if (run === undefined || !isRunIn(run, "running")) return "ended";
  if (run.state.permitted) return "activate";
  return run.state.ending === null ? "continue" : "stop";
}
