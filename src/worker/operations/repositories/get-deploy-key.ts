import type { DeployKey } from "#contract/endpoints/projects/repository-access.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { requestDeployKey } from "#worker/operations/repositories/request-deploy-key.ts";
import { deployKeyView } from "#worker/views/deploy-key-view.ts";

/** Returns a project's public deploy key. Its server creates the key if it does not exist yet. */
export async function getDeployKey(
  context: Context,
  id: ProjectId,
): Promise<Result<DeployKey, "not_found" | "server_offline" | "agent_outdated" | "unavailable">> {
  const project = await findProject(context.rows, id);
  if (project === null) return notFound("project");
  if (project.deployKey !== null) return succeed(deployKeyView(project.deployKey, project.repository));
  const key = await requestDeployKey(context, project);
  return key.ok ? succeed(deployKeyView(key.value, project.repository)) : key;
}
