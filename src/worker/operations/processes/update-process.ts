import type {
  ProcessName,
  ProcessUpdated,
  UpdateProcessInput,
} from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { updateProject } from "#worker/db/projects/update-project.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { startConfig } from "#worker/operations/processes/apply-config.ts";
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
  const { latestRows: rows } = context;
  const changes = { processes: { [name]: input } };
  const update = await updateProject(rows, projectId, changes, { mayMove: false });
  if (update === "too_many_processes") return tooManyProcesses();
  const found = update === "updated" ? await findProjectToDeploy(rows, projectId, "current") : null;
  if (found === null) return notFound("project");
  const process = { name, ...found.project.processes[name] };
  const started = await startConfig(context, found, []);
  if (started.ok) return succeed({ process, deployment: started.value });
  const { refusal } = started;
  if (refusal.code === "not_live") return succeed({ process, deployment: null });
  return { ok: false, refusal: { ...refusal, code: refusal.code } };
}
