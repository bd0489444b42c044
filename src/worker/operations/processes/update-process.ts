import type {
  ProcessName,
  ProcessUpdated,
  UpdateProcessInput,
} from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { updateProject } from "#worker/db/projects/update-project.ts";
import type { ApplyRefusal } from "#worker/operations/processes/apply-config.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { settingsOrigin } from "#worker/operations/changes/request-changes.ts";
import { applyChanges } from "#worker/operations/processes/apply-changes.ts";
import { hasProcess, knowsProcesses, noSuchProcess } from "#worker/operations/processes/has-process.ts";
import { notFound, tooManyProcesses } from "#worker/operations/refusals.ts";

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
