import { wholeFrom } from "#contract/bounds.ts";
import type {
  Deployment,
  DeploymentRows,
  Deployments,
  DeploymentsQuery,
  ProjectDeploymentsQuery,
  RollbackTargets,
} from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId, type ProjectId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  deploymentFields,
  deploymentRowColumns,
  type DeploymentRowReading,
  findDeployment,
} from "#worker/db/deployments/find-deployment.ts";
import {
  type DeploymentFilter,
  deploymentList,
  isById,
  listDeployments as readDeployments,
  listProjectDeployments as readProjectDeployments,
} from "#worker/db/deployments/list-deployments.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import type { Position } from "#worker/db/reads.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { currentSettings } from "#worker/operations/deployments/lane-command.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readPage } from "#worker/paging.ts";
import { deploymentRow, deploymentView } from "#worker/views/deployment-view.ts";

/** Returns a deployment with all details. */
export async function getDeployment(
  context: Context,
  id: DeploymentId,
): Promise<Result<Deployment, "not_found">> {
  const reading = await findDeployment(context.rows, id);
  if (reading === null) return notFound("deployment");
  return succeed(deploymentView(reading, context.clock.now()));
}

/** As `getDeployment`, but only if the deployment belongs to this project. */
export async function getProjectDeployment(
  context: Context,
  projectId: ProjectId,
  id: DeploymentId,
): Promise<Result<Deployment, "not_found">> {
  const deployment = await getDeployment(context, id);
  if (deployment.ok && deployment.value.project_id !== projectId) return notFound("deployment");
  return deployment;
}

const shortList = deploymentList(deploymentRowColumns);
const fullList = deploymentList(deploymentFields);

/** Lists a project's deployments, newest first. */
export async function listProjectDeployments(
  { rows, clock }: Context,
  projectId: ProjectId,
  query: ProjectDeploymentsQuery,
): Promise<Result<DeploymentRows, "not_found" | "invalid_request">> {
  const filter = filterOf(query);
  const page = await readDeploymentPage(projectId, query, {
    byId: (position) => readDeployments(rows, shortList, filter, projectId, position),
    byVersion: (id, position) => readProjectDeployments(rows, shortList, filter, id, position),
  });
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
  const projectId = query.project_id ?? null;
  const filter = filterOf(query);
  const page = await readDeploymentPage(projectId, query, {
    byId: (position) => readDeployments(rows, fullList, filter, projectId, position),
    byVersion: (id, position) => readProjectDeployments(rows, fullList, filter, id, position),
  });
  if (!page.ok) return page;
  const now = clock.now();
  return succeed({
    deployments: page.value.rows.map((reading) => deploymentView(reading, now)),
    next_cursor: page.value.nextCursor,
  });
}

type Lists<Row> = {
  readonly byId: (position: Position<DeploymentId>) => Promise<readonly Row[]>;
  readonly byVersion: (projectId: ProjectId, position: Position<number>) => Promise<readonly Row[]>;
};

/** A page of the deployments of a project, or of all projects (null), in the order of ids or of versions. */
async function readDeploymentPage<Row extends Pick<DeploymentRowReading, "id" | "version">>(
  projectId: ProjectId | null,
  query: DeploymentsQuery,
  { byId, byVersion }: Lists<Row>,
) {
  const name = projectId === null ? "deployments" : `deployments of ${projectId}`;
  if (projectId === null || isById(filterOf(query))) {
    const list = { name, key: DeploymentId, keyOf: ({ id }: Row) => id, read: byId };
    return await readPage(list, query, DEFAULT_PAGE_SIZE);
  }
  const read = (position: Position<number>) => byVersion(projectId, position);
  const list = { name, key: wholeFrom(1), keyOf: ({ version }: Row) => version, read };
  return await readPage(list, query, DEFAULT_PAGE_SIZE);
}

function filterOf(query: DeploymentsQuery): DeploymentFilter {
  return { statuses: query.status, branch: query.branch, commit: query.commit, serverId: query.server_id };
}

/** Lists the deployments that a project can be rolled back to, newest first, and what a rollback would run with. */
export async function listRollbackTargets(
  context: Context,
  projectId: ProjectId,
): Promise<Result<RollbackTargets, "not_found" | "unavailable">> {
  const found = await findProjectToDeploy(context.rows, projectId, "current");
  if (found === null) return notFound("project");
  const owner = { accountId: context.account.id, projectId };
  const lane = context.lanes.getByName(projectId, context.near(found.project.serverLocation));
  const targets = await lane.rollbackTargets(owner, currentSettings(found));
  return targets.ok ? succeed({ rollback_targets: targets.value }) : targets;
}
