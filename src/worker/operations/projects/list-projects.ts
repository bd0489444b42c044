import { ProjectId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import type { Context } from "#worker/context.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { listProjects as readProjects } from "#worker/db/projects/list-projects.ts";
import { pageOf, readCursor } from "#worker/paging.ts";
import { projectRow } from "#worker/views/project-view.ts";

/** The account's projects, newest first: all of them, or a page where a limit is asked for. */
export async function listProjects(
  context: Context,
  query: PageQuery,
): Promise<Result<ProjectRows, "invalid_request">> {
  const after = readCursor("projects", ProjectId, query.cursor);
  if (!after.ok) return after;
  const limit = query.limit ?? MAX_PER_ACCOUNT;
  const summaries = await readProjects(context.rows, { after: after.value, limit: limit + 1 });
  const page = pageOf(summaries, limit, "projects", (summary) => summary.id);
  return succeed({ projects: page.rows.map(projectRow), next_cursor: page.nextCursor });
}
