import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { optionalStages, runStages, type Stage, stages } from "#contract/stages.ts";

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
 * The state and duration of each stage. Optional stages are left out until they begin. The agent measured the stages of
 * a deployment that has ended. Until then, a stage lasts from its first log line to the next stage's first line.
 * @param now Unix milliseconds
 */
export function stagesOf(
  deployment: Pick<
    Deployment,
    "status" | "stage" | "failure" | "stages" | "created_at" | "started_at" | "finished_at"
  >,
  { times, isComplete }: StageTimes,
  now: number,
): ShownStage[] {
  const { status, stage: current, failure, stages: measured, finished_at: finishedAt } = deployment;
  const end = finishedAt === null ? now : Date.parse(finishedAt);
  const starts = startsOf(deployment, times, end);
  const isRunning = status === "building";
  const currentAt = stages.findIndex((stage) => stage === current);
  const shown = stages.map((stage, at) => {
    const start = starts.get(stage) ?? null;
    const own = measured.filter((time) => time.stage === stage);
    const state = stateOf(stage, at, start !== null || own.length > 0);
    if (stage !== "queued" && measured.length > 0)
      return { stage, state, seconds: own.length === 0 ? null : sumOf(own.map(({ duration }) => duration)) };
    const next = stages
      .slice(at + 1)
      .map((later) => starts.get(later))
      .find((time) => time !== undefined);
    const until =
      stage === "queued" && deployment.started_at !== null ? Date.parse(deployment.started_at) : next;
    // While the log is loading, the end of its last stage is unknown.
    const isTimed = start !== null && (until !== undefined || isRunning || isComplete);
    const seconds = isTimed ? Math.max(0, ((until ?? end) - start) / 1000) : null;
    return { stage, state, seconds };
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

function sumOf(seconds: readonly number[]): number {
  return seconds.reduce((sum, one) => sum + one, 0);
}

/**
 * When each stage began, in Unix milliseconds. The lines have the times of the server's clock, which may differ: no stage
 * begins before the run, after its end, or before an earlier stage.
 */
function startsOf(
  { created_at: createdAt, started_at: startedAt }: Pick<Deployment, "created_at" | "started_at">,
  times: StageTimes["times"],
  end: number,
): ReadonlyMap<Stage, number> {
  const starts = new Map<Stage, number>([["queued", Date.parse(createdAt)]]);
  let last = Date.parse(startedAt ?? createdAt);
  for (const stage of runStages) {
    const time = times.get(stage);
    if (time === undefined) continue;
    last = Math.max(last, Math.min(time, end));
    starts.set(stage, last);
  }
  return starts;
}
