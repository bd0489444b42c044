import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { type ApplyRefusal, startConfig } from "#worker/operations/processes/apply-config.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** How often another request may change the settings between the read and the start. */
const MAX_TRIES = 5;

type Applied = { readonly project: ProjectRecord; readonly deployment: DeploymentStarted | null };

/**
 * Starts a deployment of the live code after the project's processes were changed. Two changes at the same time can reach
 * the lane in another order than the database. So each reads the settings again after its start, and starts another
 * deployment if they have changed since it read them.
 * @returns `deployment` is null if nothing is live
 */
export async function applyChanges(
  context: Context,
  projectId: ProjectId,
  start: { readonly onlyScale: boolean; readonly emergency: string | undefined },
): Promise<Result<Applied, Exclude<ApplyRefusal, "not_live">>> {
  for (let tries = 1; ; tries += 1) {
    const found = await findProjectToDeploy(context.latestRows, projectId, "current");
    if (found === null) return notFound("project");
    const { project } = found;
    // A further try starts another deployment, also for a request with an Idempotency-Key.
    const key =
      context.requestKey === null || tries === 1 ? context.requestKey : `${context.requestKey}/${tries}`;
    const started = await startConfig(context, found, { ...start, requestKey: key, isRecorded: true });
    if (!started.ok) {
      const { code } = started.refusal;
      if (code === "not_live") return succeed({ project, deployment: null });
      return { ok: false, refusal: { ...started.refusal, code } };
    }
    const now = tries < MAX_TRIES ? await findProject(context.latestRows, projectId) : null;
    if (now === null || isSame(now, project)) return succeed({ project, deployment: started.value });
  }
}

function isSame(one: ProjectRecord, other: ProjectRecord): boolean {
  return JSON.stringify(one.settings.processes) === JSON.stringify(other.settings.processes);
}
