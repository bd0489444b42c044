import type { StageTime } from "#contract/endpoints/deployments/schemas.ts";

/** Times in Unix milliseconds, by the control plane's clock. */
type Ended = { readonly createdAt: number; readonly startedAt: number; readonly finishedAt: number };

/**
 * The start and the stages of a run that has ended, so that its duration is never shorter than its stages together. The
 * agent measures the stages, and the run begins before the lane gets its first report. Stages that would have begun
 * before the request, of an agent that measures wrongly, are cut.
 */
export function runTimes(
  { createdAt, startedAt, finishedAt }: Ended,
  reported: readonly StageTime[],
): { startedAt: number; stages: StageTime[] } {
  let left = Math.max(0, finishedAt - createdAt);
  const stages = reported.map(({ stage, duration }) => {
    const ms = Math.min(left, Math.round(duration * 1000));
    left -= ms;
    return { stage, duration: ms / 1000 };
  });
  return { startedAt: Math.min(startedAt, createdAt + left), stages };
}
