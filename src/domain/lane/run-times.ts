import type { StageTime } from "#contract/endpoints/deployments/schemas.ts";

/** Times in Unix milliseconds, by the control plane's clock. */
type Ended = { readonly createdAt: number; readonly startedAt: number; readonly finishedAt: number };

/**
 * The start and the stages of a run that has ended. The run begins before the lane gets its first report, so its start
 * moves back until the stages that the agent measured fit into its duration. It never moves before the request: stages
 * that still do not fit, of an agent that measures wrongly, are cut.
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
