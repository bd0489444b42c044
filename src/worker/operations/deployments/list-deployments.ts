import { wholeFrom } from "#contract/bounds.ts";
import type {
  DeploymentRows,
  Deployments,
  DeploymentsQuery,
  ProjectDeploymentsQuery,
} from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId, type ProjectId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { DeploymentReading } from "#worker/db/deployments/deployment-reading.ts";
import {
  type DeploymentFilter,
  listDeployments as readDeployments,
  listProjectDeploymentRecords,
  listProjectDeployments as readProjectDeployments,
} from "#worker/db/deployments/list-deployments.ts";
import type { Position } from "#worker/db/newest-first.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readPage } from "#worker/paging.ts";
import { deploymentRow, deploymentView } from "#worker/views/deployment-view.ts";

/** Lists a project's deployments, newest first. */
export async function listProjectDeployments(
  { rows, clock }: Context,
  projectId: ProjectId,
  query: ProjectDeploymentsQuery,
): Promise<Result<DeploymentRows, "not_found" | "invalid_request">> {
  const read = (position: Position<number>) =>
    listProjectDeploymentRecords(rows, filterOf(query), projectId, position);
  const page = await readPage(byVersion(projectId, read), query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  // A project with deployments exists, so the project itself is read only if there are none.
  if (page.value.rows.length === 0 && (await findProject(rows, projectId)) === null)
    return notFound("project");
  const now = clock.now();
  return succeed({
    deployments: page.value.rows.map((record) => deploymentRow(record, now)),
    next_cursor: page.value.nextCursor,
  });
}

/** Lists the account's deployments with all details, newest first. */
export async function listDeployments(
  { rows, clock }: Context,
  query: DeploymentsQuery,
): Promise<Result<Deployments, "invalid_request">> {
  const { project_id: projectId } = query;
  const filter = filterOf(query);
  const ofProject = (id: ProjectId) =>
    byVersion(id, (position) => readProjectDeployments(rows, filter, id, position));
  const ofAccount = {
    name: "deployments",
    key: DeploymentId,
    keyOf: (reading: DeploymentReading) => reading.id,
    read: (position: Position<DeploymentId>) => readDeployments(rows, filter, position),
  };
  const page =
    projectId === undefined
      ? await readPage(ofAccount, query, DEFAULT_PAGE_SIZE)
      : await readPage(ofProject(projectId), query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  const now = clock.now();
  return succeed({
    deployments: page.value.rows.map((reading) => deploymentView(reading, now)),
    next_cursor: page.value.nextCursor,
  });
}

/** A list of one project's deployments, in the order of their versions. */
function byVersion<Row extends { readonly version: number }>(
  projectId: ProjectId,
  read: (position: Position<number>) => Promise<readonly Row[]>,
) {
  return { name: `deployments of ${projectId}`, key: wholeFrom(1), keyOf: (row: Row) => row.version, read };
}

function filterOf(query: DeploymentsQuery): DeploymentFilter {
  return { statuses: query.status, branch: query.branch, commit: query.commit, serverId: query.server_id };
}
