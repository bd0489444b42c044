import type { RollbackTargets } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProjectServer } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Lists the deployments that a project can be rolled back to, newest first. */
export async function listRollbackTargets(
  context: Context,
  projectId: ProjectId,
): Promise<Result<RollbackTargets, "not_found" | "unavailable">> {
  const project = await findProjectServer(context.rows, projectId);
  if (project === null) return notFound("project");
  const owner = { accountId: context.account.id, projectId };
  const lane = context.lanes.getByName(projectId, context.near(project.serverLocation));
  const targets = await lane.rollbackTargets(owner, project.serverId);
  return targets.ok ? succeed({ rollback_targets: targets.value }) : targets;
}
