import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { EmergencyInput } from "#contract/endpoints/deployments/emergency.ts";
import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProjectToConfigure } from "#worker/db/projects/find-project.ts";
import { updateProject } from "#worker/db/projects/update-project.ts";
import type { ApplyRefusal } from "#worker/operations/processes/apply-config.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { settingsOrigin } from "#worker/operations/changes/request-changes.ts";
import { applyChanges } from "#worker/operations/processes/apply-changes.ts";
import { hasProcess, noSuchProcess } from "#worker/operations/processes/has-process.ts";
import { notFound, tooManyProcesses } from "#worker/operations/refusals.ts";

/**
 * Stops a process, or starts it again, with a deployment of the live code. The setting is stored first, so it also counts
 * for every later deployment. If the Worker dies before the deployment is started, a retry starts it.
 */
export async function setProcessStopped(
  context: Context,
  projectId: ProjectId,
  name: ProcessName,
  stopped: boolean,
  { emergency }: EmergencyInput,
): Promise<Result<DeploymentStarted, ApplyRefusal | "too_many">> {
  const { latestRows: rows } = context;
  const found = await findProjectToConfigure(rows, projectId);
  if (found === null) return notFound("project");
  if (!hasProcess(found.project, name)) return noSuchProcess(found.project, name);
  // The lane decides this. Asked before the setting is stored, so that a refused request changes nothing.
  if (!found.mayBeLive) return notLive();
  const processes = { [name]: { stopped: stopped || null } };
  const update = await updateProject(
    rows,
    projectId,
    { processes },
    {
      mayMove: false,
      origin: settingsOrigin(context, projectId),
    },
  );
  if (update === "too_many_processes") return tooManyProcesses();
  if (update !== "updated") return notFound("project");
  announceLater(context);
  const applied = await applyChanges(context, projectId, { onlyScale: true, emergency });
  if (!applied.ok) return applied;
  const { deployment } = applied.value;
  return deployment === null ? notLive() : succeed(deployment);
}

function notLive() {
  return refuse("not_live", "The project has no live deployment. Deploy it first.");
}
