import type { DeploymentStarted, RollbackInput } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { refuseOldAgents } from "#worker/operations/servers/unfit-servers.ts";
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
    | "not_found"
    | "already_live"
    | "no_rollback_target"
    | "queue_full"
    | "live_changed"
    | "secrets_not_sealed"
    | "agent_outdated"
    | "unavailable"
  >
> {
  const { project_id: projectId, settings = null, variables = null } = input;
  const secrets = variables === "deployed" ? "all" : "current";
  const found = await findProjectToDeploy(context.rows, projectId, secrets);
  if (found === null) return notFound("project");
  const outdated = refuseOldAgents(context, found);
  if (outdated !== null) return outdated;
  const choice = { deploymentId: input.deployment_id ?? null, version: input.version ?? null };
  const lane = context.lanes.getByName(projectId, context.near(found.project.serverLocation));
  const command = {
    ...commandFor(context, found, input.emergency),
    ifLive,
    choice,
    runWith: { settings, variables },
  };
  return answerOf(context, await lane.rollBack(command));
}
