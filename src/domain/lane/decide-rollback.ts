import type { RollbackVariables } from "#contract/endpoints/deployments/schemas.ts";
import { type Result } from "#contract/problems.ts";
import { type AskedIfLive, join, type Joined, refuseIfLiveChanged } from "#domain/lane/decide-start.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { currentVariables, earlierVariables } from "#domain/lane/variables.ts";
import { chooseTarget, originalOf, type RollbackChoice } from "#domain/lane/rollback-target.ts";

/** `runWith`: the project's current variables, or those of the target. */
export type RollbackRequest = AskedIfLive & { choice: RollbackChoice; runWith: RollbackVariables };

/** Queues a deployment of code that was live before. `rollbackOf` is the deployment that built it, if the lane knows it. */
export function decideRollback(
  lane: Lane,
  request: RollbackRequest,
  now: number,
): Result<
  Joined,
  "already_live" | "no_rollback_target" | "queue_full" | "live_changed" | "secrets_not_sealed"
> {
  const changed = refuseIfLiveChanged(lane, request);
  if (changed !== null) return changed;
  const chosen = chooseTarget(lane, request.choice);
  if (!chosen.ok) return chosen;
  const target = chosen.value;
  const variables =
    request.runWith === "deployed"
      ? earlierVariables(request.variables, target)
      : currentVariables(request.variables, lane.deployments);
  if (!variables.ok) return variables;
  return join(lane, request, now, {
    kind: "rollback",
    codeVersion: target.codeVersion,
    rollbackOf: originalOf(lane, target),
    reuseRelease: target.state.release,
    branch: target.branch,
    requestedCommit: target.commitSha,
    inBranch: false,
    clearCache: false,
    restart: [],
    variables: variables.value,
    commitSha: target.commitSha,
    commitMessage: target.commitMessage,
  });
}
