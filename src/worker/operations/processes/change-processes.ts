import type { EmergencyInput } from "#contract/endpoints/deployments/emergency.ts";
import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type {
  ProcessName,
  ProcessUpdated,
  UpdateProcessInput,
} from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject, findProjectToConfigure } from "#worker/db/projects/find-project.ts";
import { updateProject } from "#worker/db/projects/update-project.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { settingsOrigin } from "#worker/operations/changes/request-changes.ts";
import { applyChanges, type ApplyRefusal, startConfig } from "#worker/operations/processes/apply-config.ts";
import { hasProcess, knowsProcesses, noSuchProcess } from "#worker/operations/processes/read-processes.ts";
import { tooManyProcesses } from "#worker/operations/projects/project-refusals.ts";
import { notFound } from "#worker/operations/refusals.ts";

/**
 * Changes the project's settings for a process, and starts a deployment of the live code with them, if there is one. A
 * request that changes nothing starts one too: the deployment of an earlier try may not have been started. After the
 * first deployment, a process that the project does not have is only added with a command.
 */
export async function updateProcess(
  context: Context,
  projectId: ProjectId,
  name: ProcessName,
  { emergency, ...input }: UpdateProcessInput,
): Promise<Result<ProcessUpdated, Exclude<ApplyRefusal, "not_live"> | "too_many">> {
  const project = await findProject(context.latestRows, projectId);
  if (project === null) return notFound("project");
  // A setting of a process that a release lacks would be stored and do nothing: its name is probably misspelled.
  const mayBeNew = !knowsProcesses(project) || (input.command ?? null) !== null;
  if (!mayBeNew && !hasProcess(project, name)) return noSuchProcess(project, name);
  const changes = { processes: { [name]: input } };
  const update = await updateProject(context.latestRows, projectId, changes, {
    mayMove: false,
    origin: settingsOrigin(context, projectId),
  });
  if (update === "too_many_processes") return tooManyProcesses();
  if (update !== "updated") return notFound("project");
  announceLater(context);
  const onlyScale = Object.keys(input).every((field) => field === "instances");
  const applied = await applyChanges(context, projectId, { onlyScale, emergency });
  if (!applied.ok) return applied;
  const { project: updated, deployment } = applied.value;
  return succeed({ process: { name, ...updated.settings.processes[name] }, deployment });
}

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
