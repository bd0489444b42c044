import type { SealedToken } from "#contract/agent-order.ts";
import type { RepositoryTest, TestRepositoryInput } from "#contract/endpoints/projects/repository-access.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { repositoryPage } from "#contract/public-paths.ts";
import type { Context } from "#worker/context.ts";
import { findProject, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { findRunVariables } from "#worker/db/variables/find-run-variables.ts";
import {
  askAgent,
  requestAbout,
  unavailable,
  WRONG_ANSWER,
} from "#worker/operations/repositories/ask-agent.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** The agent gives up after 10 s, and the dashboard after 20 s. */
const TIMEOUT_MS = 15_000;

/** Asks a project's server whether it can read the repository: the project's own settings, or those in the input. */
export async function testRepository(
  context: Context,
  id: ProjectId,
  input: TestRepositoryInput,
): Promise<Result<RepositoryTest, "not_found" | "server_offline" | "agent_outdated" | "unavailable">> {
  const project = await findProject(context.rows, id);
  if (project === null) return notFound("project");
  const request = {
    type: "test_repository",
    ...requestAbout(context, project),
    repository: input.repository ?? project.repository,
    branch: input.branch ?? project.branch,
    // Another address may be on another host, which must not get the token.
    ...(input.repository === undefined ? await sealedToken(context, project) : {}),
  } as const;
  const answer = await askAgent(context, project, request, TIMEOUT_MS);
  if (!answer.ok) return answer;
  if (answer.value.type !== "repository_tested") return unavailable(WRONG_ANSWER);
  const { result } = answer.value;
  return succeed(result.ok ? result : { ...result, steps_url: repositoryPage(context.origin, id) });
}

/** The project's current repository token as sealed for its server. Only https addresses use it. */
async function sealedToken(
  { rows }: Context,
  { id, serverId, repository }: ProjectRecord,
): Promise<{ readonly token?: SealedToken }> {
  if (!repository.startsWith("https:")) return {};
  const latest = { revision: Number.MAX_SAFE_INTEGER, deployed: false };
  const { account_id, secrets } = await findRunVariables(rows, id, serverId, latest, repository);
  const found = secrets.find(({ name }) => name === REPOSITORY_TOKEN);
  if (found === undefined || found.sealed === null) return {};
  return { token: { account_id, revision: found.revision, sealed: found.sealed } };
}
