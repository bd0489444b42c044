import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { isOverSsh } from "#contract/forge.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import { askAgent, requestAbout, unavailable } from "#worker/operations/repositories/ask-agent.ts";
import { summarizeKey } from "#worker/views/deploy-key-view.ts";

/** Making a key takes the agent a few milliseconds. */
const TIMEOUT_MS = 10_000;

type Asking = Pick<Context, "links" | "origin" | "randomBytes">;

/** Asks the project's server for its public deploy key, which it makes if necessary. The link writes the key to D1. */
export async function askForDeployKey(
  context: Asking,
  project: ProjectRecord,
): Promise<Result<DeployKeySummary, "server_offline" | "agent_outdated" | "unavailable">> {
  const request = { type: "make_deploy_key", ...requestAbout(context, project) } as const;
  const answer = await askAgent(context, project, request, TIMEOUT_MS);
  if (!answer.ok) return answer;
  if (answer.value.type !== "deploy_key" || answer.value.public_key === null)
    return unavailable(
      answer.value.type === "deploy_key"
        ? `The server could not make the key: ${answer.value.message}`
        : "The server's agent gave another answer.",
    );
  return succeed(await summarizeKey(answer.value.public_key));
}

/**
 * Asks for the deploy key of a project that will need one, so that it is known before somebody looks for it. Without
 * a connected server nothing happens: the key is asked for again when somebody reads it. Never throws.
 */
export async function requestDeployKey(context: Asking, project: ProjectRecord): Promise<void> {
  if (project.deployKey === null && isOverSsh(project.repository)) await askForDeployKey(context, project);
}
