import type { DeployKey, DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { isOverSsh } from "#contract/forge.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject, type LocatedProject } from "#worker/db/projects/find-project.ts";
import { logFailure } from "#worker/log-failure.ts";
import { onBuilder, onServersWithoutKey } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout, unavailable } from "#worker/operations/repositories/ask-agent.ts";
import { deployKeyView, summarizeKey } from "#worker/views/deploy-key-view.ts";

/**
 * Returns a project's public deploy key. Its server creates the key if it does not exist yet. Of several servers, it is the
 * first server's key, and the others create theirs too, which are in the project's read then. If another server builds for
 * them, it is that server's key, which the database does not have.
 */
export async function getDeployKey(
  context: Context,
  id: ProjectId,
): Promise<Result<DeployKey, "not_found" | "server_offline" | "agent_outdated" | "unavailable">> {
  const project = await findProject(context.rows, id);
  if (project === null) return notFound("project");
  const builder = await onBuilder(context, project);
  if (builder !== null) {
    const own = await requestDeployKey(context, builder);
    return own.ok ? succeed(deployKeyView(own.value, project.repository)) : own;
  }
  const [key] = await Promise.all([
    project.deployKey === null ? requestDeployKey(context, project) : succeed(project.deployKey),
    isOverSsh(project.repository) ? requestOtherKeys(context, project) : null,
  ]);
  return key.ok ? succeed(deployKeyView(key.value, project.repository)) : key;
}

type Asking = Pick<Context, "links" | "near" | "origin" | "randomBytes" | "rows">;

/** Asks the project's server for its public deploy key, which it creates if necessary. The link writes the key to D1. */
async function requestDeployKey(
  context: Asking,
  project: LocatedProject,
): Promise<Result<DeployKeySummary, "server_offline" | "agent_outdated" | "unavailable">> {
  const request = { type: "make_deploy_key", ...requestAbout(context, project) } as const;
  const answer = await askAgent(context, project, request);
  if (!answer.ok) return answer;
  const { public_key, message } = answer.value;
  if (public_key === null) return unavailable(`The server could not create the key: ${message}`);
  return succeed(await summarizeKey(public_key));
}

/**
 * Asks the servers of a project besides the first one for their keys, if those are not known. A server that is not connected is
 * asked at the next read.
 */
async function requestOtherKeys(context: Asking, project: LocatedProject): Promise<void> {
  const without = await onServersWithoutKey(context, project);
  const others = without.filter(({ serverId }) => serverId !== project.serverId);
  await Promise.all(others.map((one) => requestDeployKey(context, one)));
}

/**
 * Asks for the deploy keys of a project that will need them, one on each of its servers, so that they are ready when somebody
 * reads them. If a server is not connected, nothing happens there, and the next read asks again. Never throws.
 */
export async function prepareDeployKeys(
  context: Asking & Pick<Context, "latestRows">,
  project: LocatedProject,
): Promise<void> {
  if (!isOverSsh(project.repository)) return;
  try {
    const servers = await onServersWithoutKey({ rows: context.latestRows }, project);
    const builder = await onBuilder({ rows: context.latestRows }, project);
    const all = builder === null ? servers : [...servers, builder];
    await Promise.all(all.map((one) => requestDeployKey(context, one)));
  } catch (error) {
    logFailure("prepare deploy keys", { project_id: project.id }, error);
  }
}
