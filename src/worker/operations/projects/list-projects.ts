import type { ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { listProjects as readProjects } from "#worker/db/projects/list-projects.ts";
import { readPage } from "#worker/paging.ts";
import { projectRow } from "#worker/views/project-view.ts";

/** Lists the account's projects, newest first: all of them, or one page if the query has a limit. */
export async function listProjects(
  { rows }: Context,
  query: PageQuery,
): Promise<Result<ProjectRows, "invalid_request">> {
  const page = await readPage(
    {
      name: "projects",
      key: ProjectId,
      read: (position) => readProjects(rows, position),
      keyOf: (project) => project.id,
    },
    query,
    MAX_PER_ACCOUNT,
  );
  if (!page.ok) return page;
  return succeed({ projects: page.value.rows.map(projectRow), next_cursor: page.value.nextCursor });
}
