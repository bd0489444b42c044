import { type ProblemCode, refuse, type Refusal, type Result, succeed } from "#contract/problems.ts";
import { canaryAdvice } from "#domain/lane/canary.ts";
import { type RequestIfLive, join, type Joined, refuseIfLiveChanged } from "#domain/lane/decide-start.ts";
import type { Lane, RunWith } from "#domain/lane/lane.ts";
import { earlierPlan } from "#domain/lane/plan-differences.ts";
import { currentVariables, earlierVariables } from "#domain/lane/variables.ts";
import { chooseTarget, originalOf, type RollbackChoice } from "#domain/lane/rollback-target.ts";

/** `runWith`: the settings and variables of the project now, or of the target; null: the request leaves it open. */
export type RollbackRequest = RequestIfLive & { choice: RollbackChoice; runWith: Omit<RunWith, "target"> };

/**
 * Queues a deployment of code that was live before. `rollbackOf` is the deployment that built it, if the lane knows it.
 * What the request leaves open is decided when the rollback's turn comes (`settleRollback`).
 */
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
  const advice = canaryAdvice(lane);
  if (!chosen.ok) return advice === null ? chosen : withAdvice(chosen.refusal, advice);
  const target = chosen.value;
  const runWith = { ...request.runWith, target: target.id };
  const wantsEarlier = runWith.settings === "deployed";
  const today = request.plan;
  const earlier = wantsEarlier ? target.state.plan : today;
  if (earlier === null)
    return refuse(
      "no_rollback_target",
      `The settings of v${target.version} are not known. Roll back to it with the current settings.`,
    );
  const plan = wantsEarlier ? earlierPlan({ code: earlier, live: today, now: today }) : today;
  const variables =
    runWith.variables === "deployed"
      ? earlierVariables(request.variables, target)
      : currentVariables(request.variables, lane.deployments);
  if (!variables.ok) return variables;
  const joined = join(lane, { ...request, plan }, now, {
    kind: "rollback",
    runWith,
    codeVersion: target.codeVersion,
    rollbackOf: originalOf(lane, target),
    reuseRelease: target.state.served[0]?.release ?? null,
    branch: target.branch,
    requestedCommit: target.commitSha,
    inBranch: false,
    clearCache: false,
    restart: [],
    onlyScale: false,
    repositoryInstances: {},
    changes: null,
    variables: variables.value,
    commitSha: target.commitSha,
    commitMessage: target.commitMessage,
  });
  if (!joined.ok || advice === null) return joined;
  const log = { type: "log", deploymentId: request.id, stage: "queued", message: advice } as const;
  return succeed({ ...joined.value, effects: [...joined.value.effects, log] });
}

function withAdvice<Code extends ProblemCode>({ code, detail }: Refusal<Code>, advice: string) {
  return refuse(code, `${detail} ${advice}`);
}
