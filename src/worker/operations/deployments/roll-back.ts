import type { DeploymentStarted, RollbackInput } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { commandFor, answerOf } from "#worker/operations/deployments/lane-command.ts";

export type RollBack = {
  input: RollbackInput;
  /** Refuse unless this deployment is still live. */
  ifLive: DeploymentId | null;
};

/**
 * Rolls back to a deployment that was live before. The lane decides which one is the default.
 * Takes one D1 round trip and one to the lane, which writes to D1 once before it answers.
 */
export async function rollBack(
  context: Context,
  { input, ifLive }: RollBack,
): Promise<
  Result<
    DeploymentStarted,
    "not_found" | "already_live" | "no_rollback_target" | "queue_full" | "live_changed" | "unavailable"
  >
> {
  const project = await findProject(context.rows, input.project_id);
  if (project === null) return notFound("project");
  const choice = { deploymentId: input.deployment_id ?? null, version: input.version ?? null };
  const lane = context.lanes.getByName(project.id);
  return answerOf(context, await lane.rollBack({ ...commandFor(context, project, ifLive), choice }));
}
