import { wholeFrom } from "#contract/bounds.ts";
import type { VariableRevisions, Variables } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE, type PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { findVariables, listRevisions, type RevisionReading } from "#worker/db/variables/variable-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readPage } from "#worker/paging.ts";
import { revisionView, variablesView } from "#worker/views/variables-view.ts";

/** Returns a project's current variables, without the values of secrets. */
export async function getVariables(
  { rows, account }: Context,
  projectId: ProjectId,
): Promise<Result<Variables, "not_found">> {
  const found = await findVariables(rows, projectId);
  if (found === null) return notFound("project");
  return succeed(variablesView({ accountId: account.id, projectId }, found.head, found.variables));
}

/** Lists the changes of a project's variables, newest first. */
export async function listVariableRevisions(
  { rows }: Context,
  projectId: ProjectId,
  query: PageQuery,
): Promise<Result<VariableRevisions, "not_found" | "invalid_request">> {
  const list = {
    name: `variable revisions of ${projectId}`,
    key: wholeFrom(1),
    keyOf: ({ revision }: RevisionReading) => revision,
    read: (position: { after: number | null; limit: number }) => listRevisions(rows, projectId, position),
  };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  // A project with revisions exists, so the project itself is read only if there are none.
  if (page.value.rows.length === 0 && (await findProject(rows, projectId)) === null)
    return notFound("project");
  return succeed({ revisions: page.value.rows.map(revisionView), next_cursor: page.value.nextCursor });
}
