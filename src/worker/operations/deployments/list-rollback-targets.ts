import type { RollbackTargets } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { currentSettings } from "#worker/operations/deployments/lane-command.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Lists the deployments that a project can be rolled back to, newest first, and what a rollback would run with. */
export async function listRollbackTargets(
  context: Context,
  projectId: ProjectId,
): Promise<Result<RollbackTargets, "not_found" | "unavailable">> {
  const found = await findProjectToDeploy(context.rows, projectId, "current");
  if (found === null) return notFound("project");
  const owner = { accountId: context.account.id, projectId };
  const lane = context.lanes.getByName(projectId, context.near(found.project.serverLocation));
  const targets = await lane.rollbackTargets(owner, currentSettings(found));
  return targets.ok ? succeed({ rollback_targets: targets.value }) : targets;
}
