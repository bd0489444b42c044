import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { optionalStages, type Stage, stages } from "#contract/stages.ts";

/** `open`: it may still start, or the log is not loaded yet. */
export type StageState = "done" | "failed" | "current" | "open" | "skipped";
export type ShownStage = {
  readonly stage: Stage;
  readonly state: StageState;
  readonly seconds: number | null;
};

/** The times of stages that a log has, in Unix milliseconds. */
export type StageTimes = {
  /** The time of each stage's first line. */
  readonly times: ReadonlyMap<LogStage, number>;
  /** All lines are loaded, and there will be no more. */
  readonly isComplete: boolean;
};

/**
 * The state and duration of each stage. A stage lasts from its first log line to that of the next stage. Optional stages
 * are left out until they begin.
 * @param now Unix milliseconds
 */
export function stagesOf(
  deployment: Pick<Deployment, "status" | "stage" | "failure" | "created_at" | "started_at" | "finished_at">,
  { times, isComplete }: StageTimes,
  now: number,
): ShownStage[] {
  const { status, stage: current, failure, finished_at: finishedAt } = deployment;
  const startOf = (stage: Stage): number | null =>
    stage === "queued" ? Date.parse(deployment.created_at) : (times.get(stage) ?? null);
  const end = finishedAt === null ? now : Date.parse(finishedAt);
  const isRunning = status === "building";
  const currentAt = stages.findIndex((stage) => stage === current);
  const shown = stages.map((stage, at) => {
    const start = startOf(stage);
    const next = stages
      .slice(at + 1)
      .map(startOf)
      .find((time) => time !== null);
    const until =
      stage === "queued" && deployment.started_at !== null ? Date.parse(deployment.started_at) : next;
    // While the log is loading, the end of its last stage is unknown.
    const isTimed = start !== null && (until !== undefined || isRunning || isComplete);
    const seconds = isTimed ? Math.max(0, ((until ?? end) - start) / 1000) : null;
    return { stage, state: stateOf(stage, at, start !== null), seconds };
  });
  return shown.filter(({ stage, state }) => !optionalStages.has(stage) || !isIdle(state));

  function stateOf(stage: Stage, at: number, hasBegun: boolean): StageState {
    if (failure?.stage === stage) return "failed";
    if (isRunning && stage === current) return "current";
    if (hasBegun) return "done";
    return (isRunning && at > currentAt) || !isComplete ? "open" : "skipped";
  }
}

function isIdle(state: StageState): boolean {
  return state === "open" || state === "skipped";
}
