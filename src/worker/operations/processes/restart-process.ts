import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { EmergencyInput } from "#contract/endpoints/deployments/emergency.ts";
import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { type ApplyRefusal, startConfig } from "#worker/operations/processes/apply-config.ts";
import { hasProcess, noSuchProcess } from "#worker/operations/processes/has-process.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Starts a deployment of the live code that replaces every instance of a process. */
export async function restartProcess(
  context: Context,
  projectId: ProjectId,
  name: ProcessName,
  { emergency }: EmergencyInput,
): Promise<Result<DeploymentStarted, ApplyRefusal>> {
  const found = await findProjectToDeploy(context.latestRows, projectId, "current");
  if (found === null) return notFound("project");
  if (!hasProcess(found.project, name)) return noSuchProcess(found.project, name);
  return await startConfig(context, found, { restart: [name], emergency });
}
