import type {
  ProcessName,
  ProcessUpdated,
  UpdateProcessInput,
} from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { updateProject } from "#worker/db/projects/update-project.ts";
import { applyChanges } from "#worker/operations/processes/apply-changes.ts";
import { notFound, tooManyProcesses } from "#worker/operations/refusals.ts";

/**
 * Changes the project's settings for a process, and starts a deployment of the live code with them, if there is one. A
 * request that changes nothing starts one too: the deployment of an earlier try may not have been started.
 */
export async function updateProcess(
  context: Context,
  projectId: ProjectId,
  name: ProcessName,
  input: UpdateProcessInput,
): Promise<
  Result<ProcessUpdated, "not_found" | "queue_full" | "secrets_not_sealed" | "too_many" | "unavailable">
> {
  const changes = { processes: { [name]: input } };
  const update = await updateProject(context.latestRows, projectId, changes, { mayMove: false });
  if (update === "too_many_processes") return tooManyProcesses();
  if (update !== "updated") return notFound("project");
  const applied = await applyChanges(context, projectId);
  if (!applied.ok) return applied;
  const { project, deployment } = applied.value;
  return succeed({ process: { name, ...project.processes[name] }, deployment });
}
