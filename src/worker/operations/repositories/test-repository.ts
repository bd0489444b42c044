import type { RepositoryTest, TestRepositoryInput } from "#contract/endpoints/projects/repository-access.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { repositoryPage } from "#contract/public-paths.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { isRepositoryRead } from "#worker/db/projects/project-repository.ts";
import { watchChanged } from "#worker/operations/projects/watch-changed.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askForRepository, canRead } from "#worker/operations/repositories/ask-for-repository.ts";

/**
 * Asks a project's server whether it can read the repository: the project's own settings, or those in the input. If it can,
 * the server's link decides about pushes that have waited for that.
 */
export async function testRepository(
  context: Context,
  id: ProjectId,
  input: TestRepositoryInput,
): Promise<Result<RepositoryTest, "not_found" | "server_offline" | "agent_outdated" | "unavailable">> {
  const project = await findProject(context.rows, id);
  if (project === null) return notFound("project");
  const asked = await askForRepository(context, project, input);
  if (!asked.ok) return asked;
  const result = asked.value;
  if (canRead(result) && !isRepositoryRead(project)) context.defer(watchChanged(context, project));
  return succeed(result.ok ? result : { ...result, steps_url: repositoryPage(context.origin, id) });
}
