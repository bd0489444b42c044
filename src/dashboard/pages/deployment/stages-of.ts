import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { type Stage, stages } from "#contract/stages.ts";

/** `open`: it may still come, or it is not known yet whether it did. */
export type StageState = "done" | "failed" | "current" | "open" | "skipped";
export type ShownStage = {
  readonly stage: Stage;
  readonly state: StageState;
  readonly seconds: number | null;
};

/** What of a log tells about stages. Times are Unix milliseconds. */
export type Beginnings = {
  /** When the first line of each stage was written. */
  readonly times: ReadonlyMap<LogStage, number>;
  /** There are no more lines to come. */
  readonly isWhole: boolean;
};

/**
 * How far a deployment has come, and how long each stage took: from its first line of the log to that of the next.
 * @param now Unix milliseconds
 */
export function stagesOf(
  deployment: Pick<Deployment, "status" | "stage" | "failure" | "created_at" | "started_at" | "finished_at">,
  { times, isWhole }: Beginnings,
  now: number,
): ShownStage[] {
  const { status, stage: current, failure, finished_at: finishedAt } = deployment;
  const startOf = (stage: Stage): number | null =>
    stage === "queued" ? Date.parse(deployment.created_at) : (times.get(stage) ?? null);
  const end = finishedAt === null ? now : Date.parse(finishedAt);
  const isRunning = status === "building";
  const currentAt = stages.findIndex((stage) => stage === current);
  return stages.map((stage, at) => {
    const start = startOf(stage);
    const next = stages
      .slice(at + 1)
      .map(startOf)
      .find((time) => time !== null);
    const until =
      stage === "queued" && deployment.started_at !== null ? Date.parse(deployment.started_at) : next;
    // Of a log that is still being read, the end of its last known stage is not known either.
    const isTimed = start !== null && (until !== undefined || isRunning || isWhole);
    const seconds = isTimed ? Math.max(0, ((until ?? end) - start) / 1000) : null;
    return { stage, state: stateOf(stage, at, start !== null), seconds };
  });

  function stateOf(stage: Stage, at: number, hasBegun: boolean): StageState {
    if (failure?.stage === stage) return "failed";
    if (isRunning && stage === current) return "current";
    if (hasBegun) return "done";
    return (isRunning && at > currentAt) || !isWhole ? "open" : "skipped";
  }
}
