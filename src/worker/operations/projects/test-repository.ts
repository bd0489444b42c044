import type { RepositoryTest, TestRepositoryInput } from "#contract/endpoints/projects/repository-access.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { repositoryPage } from "#contract/public-paths.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { askAgent, requestAbout, unavailable } from "#worker/operations/projects/ask-agent.ts";
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
  } as const;
  const answer = await askAgent(context, project, request, TIMEOUT_MS);
  if (!answer.ok) return answer;
  if (answer.value.type !== "repository_tested")
    return unavailable("The server's agent gave another answer.");
  const { result } = answer.value;
  return succeed(result.ok ? result : { ...result, steps_url: repositoryPage(context.origin, id) });
}
