import type { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import type { Project, ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { projectHealth } from "#domain/health/health-reasons.ts";
import type { Context } from "#worker/context.ts";
import { type ListedProject, listProjects as readProjects } from "#worker/db/projects/list-projects.ts";
import { healthsOf } from "#worker/db/projects/project-servers.ts";
import { findProjectWithServing } from "#worker/db/projects/project-with-serving.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readAll } from "#worker/paging.ts";
import { healthOfAll } from "#worker/views/server-states.ts";
import { projectRow, projectView } from "#worker/views/project-view.ts";

/** Returns a project with its settings and the release that its server serves. */
export async function getProject({ rows }: Context, id: ProjectId): Promise<Result<Project, "not_found">> {
  const found = await findProjectWithServing(rows, id);
  return found === null ? notFound("project") : succeed(projectView(found.project, found));
}

/** Lists the account's projects, newest first: all of them, or one page if the query has a limit. */
export async function listProjects(
  { rows }: Context,
  query: PageQuery,
): Promise<Result<ProjectRows, "invalid_request">> {
  const page = await readAll("projects", ProjectId, (position) => readProjects(rows, position), query);
  if (!page.ok) return page;
  const { rows: found, nextCursor } = page.value;
  const health = found.map((one) => [one.id, healthOf(one)] as const);
  return succeed({
    projects: found.map(projectRow),
    health: Object.fromEntries(health),
    next_cursor: nextCursor,
  });
}

function healthOf({ health, connectedAt, members }: ListedProject): ProjectHealth {
  const servers = healthsOf(members);
  if (servers.length === 0) return projectHealth(health, connectedAt !== null);
  return healthOfAll(
    servers.map((one) => ({ name: one.name, health: projectHealth(one.health, one.isConnected === 1) })),
  );
}
