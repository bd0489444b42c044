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
import { findProject } from "#worker/db/projects/find-project.ts";
import {
  type DeploymentFilter,
  listDeployments as readDeployments,
  listProjectDeploymentRecords,
  listProjectDeployments as readProjectDeployments,
} from "#worker/db/deployments/list-deployments.ts";
import { notFound } from "#worker/operations/not-found.ts";
import { pageOf, readCursor } from "#worker/paging.ts";
import { deploymentRow, deploymentView } from "#worker/views/deployment-view.ts";

const VersionKey = wholeFrom(1);
const ofProject = (projectId: ProjectId) => `deployments of ${projectId}`;

/** A page of a project's deployments, newest first. */
export async function listProjectDeployments(
  context: Context,
  projectId: ProjectId,
  query: ProjectDeploymentsQuery,
): Promise<Result<DeploymentRows, "not_found" | "invalid_request">> {
  const after = readCursor(ofProject(projectId), VersionKey, query.cursor);
  if (!after.ok) return after;
  const limit = query.limit ?? DEFAULT_PAGE_SIZE;
  const records = await listProjectDeploymentRecords(context.rows, filterOf(query), {
    projectId,
    after: after.value,
    limit: limit + 1,
  });
  // Whoever has a deployment is there; so the project itself is looked for only where none was found.
  if (records.length === 0 && (await findProject(context.rows, projectId)) === null)
    return notFound("project");
  const page = pageOf(records, limit, ofProject(projectId), (record) => record.version);
  const now = context.clock.now();
  return succeed({
    deployments: page.rows.map((record) => deploymentRow(record, now)),
    next_cursor: page.nextCursor,
  });
}

/** A page of the account's deployments, newest first, with everything that is known of them. */
export async function listDeployments(
  context: Context,
  query: DeploymentsQuery,
): Promise<Result<Deployments, "invalid_request">> {
  const page =
    query.project_id === undefined
      ? await pageOfAll(context, query)
      : await pageOfProject(context, query.project_id, query);
  if (!page.ok) return page;
  const now = context.clock.now();
  return succeed({
    deployments: page.value.rows.map((reading) => deploymentView(reading, now)),
    next_cursor: page.value.nextCursor,
  });
}

async function pageOfAll(context: Context, query: DeploymentsQuery) {
  const after = readCursor("deployments", DeploymentId, query.cursor);
  if (!after.ok) return after;
  const limit = query.limit ?? DEFAULT_PAGE_SIZE;
  const readings = await readDeployments(context.rows, filterOf(query), {
    after: after.value,
    limit: limit + 1,
  });
  return succeed(pageOf(readings, limit, "deployments", (reading) => reading.id));
}

async function pageOfProject(context: Context, projectId: ProjectId, query: DeploymentsQuery) {
  const after = readCursor(ofProject(projectId), VersionKey, query.cursor);
  if (!after.ok) return after;
  const limit = query.limit ?? DEFAULT_PAGE_SIZE;
  const readings = await readProjectDeployments(context.rows, filterOf(query), {
    projectId,
    after: after.value,
    limit: limit + 1,
  });
  return succeed(pageOf(readings, limit, ofProject(projectId), (reading) => reading.version));
}

function filterOf(query: DeploymentsQuery): DeploymentFilter {
  return { statuses: query.status, branch: query.branch, commit: query.commit, serverId: query.server_id };
}
