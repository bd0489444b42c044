import type { EmergencyInput } from "#contract/endpoints/deployments/emergency.ts";
import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { ProcessDefinitions, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { findProjectToDeploy, type ProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { answerOf, commandFor } from "#worker/operations/deployments/lane-command.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { refuseOldAgents } from "#worker/operations/servers/unfit-servers.ts";

export type ApplyRefusal =
  | "not_live"
  | "queue_full"
  | "secrets_not_sealed"
  | "agent_outdated"
  | "not_found"
  | "unavailable";

/**
 * Starts a deployment of the live code with the project's current variables and settings, without a build.
 * Takes one D1 round trip and one to the lane, which writes to D1 once before it answers.
 */
export async function applyConfig(
  context: Context,
  projectId: ProjectId,
  { emergency }: EmergencyInput,
): Promise<Result<DeploymentStarted, ApplyRefusal>> {
  const found = await findProjectToDeploy(context.latestRows, projectId, "current");
  return found === null ? notFound("project") : await startConfig(context, found, { emergency });
}

/**
 * `restart`: the processes whose instances are all replaced. `onlyScale`: the request changes no more than the number of
 * instances, or stops or starts a process. `emergency`: why it passes freezes and approvals. `requestKey`: starts one deployment for each key.
 * `isRecorded`: the audit log has an entry of the request already, without the emergency.
 */
type ConfigStart = {
  readonly restart?: readonly ProcessName[];
  readonly onlyScale?: boolean;
  readonly emergency?: string | undefined;
  readonly requestKey?: string | null;
  readonly isRecorded?: boolean;
};

/** As `applyConfig`, for a project that was read already. */
export async function startConfig(
  context: Context,
  found: ProjectToDeploy,
  {
    restart = [],
    onlyScale = false,
    emergency,
    requestKey = context.requestKey,
    isRecorded = false,
  }: ConfigStart,
): Promise<Result<DeploymentStarted, ApplyRefusal>> {
  const outdated = refuseOldAgents(context, found);
  if (outdated !== null) return outdated;
  const repositoryInstances = instancesIn(found.project.detected?.processes ?? {});
  const { audit, ...command } = {
    ...commandFor(context, found, emergency),
    ...{ restart: [...restart], onlyScale, repositoryInstances, requestKey },
  };
  const { id, serverLocation } = found.project;
  const lane = context.lanes.getByName(id, context.near(serverLocation));
  return answerOf(
    context,
    await lane.apply({ ...command, audit: isRecorded && emergency === undefined ? null : audit }),
  );
}

/** How many instances the repository wants of its processes, if not one. */
function instancesIn(definitions: ProcessDefinitions): Readonly<Record<string, number>> {
  const instances = Object.entries(definitions).map(
    ([name, { instances: count }]) => [name, count ?? 1] as const,
  );
  return Object.fromEntries(instances.filter(([, count]) => count !== 1));
}

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
