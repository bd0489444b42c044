import type { SealedToken } from "#contract/agent-order.ts";
import type { TestRepositoryInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { RepositoryTest, RepositoryTested } from "#contract/endpoints/projects/repository-access.ts";
import { repositoryKey } from "#contract/forge.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { repositoryPage } from "#contract/public-paths.ts";
import type { Context, Services } from "#worker/context.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findProject, type LocatedProject, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { isRepositoryRead, repositoryReadWrite } from "#worker/db/projects/project-repository.ts";
import { findRepositoryToken } from "#worker/db/variables/run-variables.ts";
import { onBuilder } from "#worker/operations/projects/servers-of-project.ts";
import { watchChanged } from "#worker/operations/projects/watch-changed.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";

/** What a request to a server's agent needs. */
export type AskingServices = Pick<Services, "links" | "near" | "origin" | "randomBytes"> & {
  readonly rows: AccountRows;
};

/**
 * Asks a project's server, or the server that builds for it, to list a branch of a repository, by default the project's own, and notes in D1 that it has read
 * the repository.
 * @param timeoutMs as usual for the request, if it is omitted
 */
export async function askForRepository(
  services: AskingServices,
  project: LocatedProject,
  { repository, branch }: TestRepositoryInput,
  timeoutMs?: number,
): Promise<Result<RepositoryTested, "server_offline" | "agent_outdated" | "unavailable">> {
  const { rows } = services;
  const reader = (await onBuilder(services, project)) ?? project;
  const request = {
    type: "test_repository",
    ...requestAbout(services, reader),
    repository: repository ?? project.repository,
    branch: branch ?? project.branch,
    // Another address may be on another host, which must not get the token.
    ...(repository === undefined ? await sealedToken(rows, reader) : {}),
  } as const;
  const answer = await askAgent(services, reader, request, timeoutMs);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  const isNews = project.readRepository !== repositoryKey(request.repository);
  if (isNews && canRead(result)) await rows.run(repositoryReadWrite(rows, project.id, request.repository));
  return succeed(result);
}

/** Whether the server could read the repository, which may not have the branch. */
export function canRead(result: RepositoryTested): boolean {
  return result.ok || result.code === "branch_not_found";
}

/** The project's current repository token as sealed for its server. Only https addresses use it. */
async function sealedToken(
  rows: AccountRows,
  { id, serverId, repository }: ProjectRecord,
): Promise<{ readonly token?: SealedToken }> {
  const latest = { revision: Number.MAX_SAFE_INTEGER, deployed: false };
  const token = await findRepositoryToken(rows, id, serverId, latest, repository);
  return token === null ? {} : { token };
}

/**
 * Asks a project's server whether it can read the repository: with the project's own settings, or with the settings in the input. If it can,
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
