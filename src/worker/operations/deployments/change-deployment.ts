import type { ApproveInput, Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { type ApprovalRefusal, refuseOtherApproved } from "#domain/lane/decide-approve.ts";
import type { Context } from "#worker/context.ts";
import { storedChange } from "#worker/db/changes/stored-change.ts";
import { findDeployment, findDeploymentOfProject } from "#worker/db/deployments/find-deployment.ts";
import { personBehind, requestEntry, requestEvent } from "#worker/operations/changes/request-changes.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { getDeployment } from "#worker/operations/deployments/read-deployments.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { deploymentTarget } from "#worker/views/audit-view.ts";
import { eventDeployment, eventProject } from "#worker/views/event-view.ts";

/** Approves a queued deployment, and returns it. */
export async function approveDeployment(
  context: Context,
  id: DeploymentId,
  input: ApproveInput,
): Promise<Result<Deployment, ApprovalRefusal | "not_found" | "unavailable">> {
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return notFound("deployment");
  const commit = input.commit ?? null;
  const until = input.until === undefined ? null : Date.parse(input.until);
  // The lane may have dropped a deployment that has ended, so D1 decides this.
  if (deployment.status !== "building") {
    const isLate = until !== null && (deployment.status === "canceled" || deployment.status === "failed");
    if (deployment.approvedBy === null || isLate)
      return refuse(
        "not_approvable",
        `v${deployment.version} has ended. Its status is ${deployment.status}.`,
      );
    const changed = refuseOtherApproved(deployment, commit);
    if (changed !== null) return changed;
  } else {
    const { projectId } = deployment;
    const owner = { accountId: context.account.id, projectId };
    const audit = requestEntry(context, { target: deploymentTarget(deployment), projectId });
    const approver = { actor: actorOf(context), person: personBehind(context) };
    const command = { owner, id, ...approver, commit, until, audit };
    const approved = await context.lanes.getByName(projectId).approve(command);
    if (!approved.ok) return approved;
    context.session.note(approved.value.bookmark);
  }
  return await getDeployment(context, id);
}

/** Cancels a deployment that was not activated yet, and returns it. */
export async function cancelDeployment(
  context: Context,
  id: DeploymentId,
): Promise<Result<Deployment, "not_found" | "not_cancelable" | "unavailable">> {
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return notFound("deployment");
  // The lane may have dropped a deployment that has ended, so D1 decides this.
  if (deployment.status !== "building") {
    return refuse("not_cancelable", `v${deployment.version} has ended. Its status is ${deployment.status}.`);
  }
  const { projectId } = deployment;
  const owner = { accountId: context.account.id, projectId };
  const audit = requestEntry(context, { target: deploymentTarget(deployment), projectId });
  const command = { owner, id, actor: actorOf(context), audit };
  const canceled = await context.lanes.getByName(projectId).cancel(command);
  if (!canceled.ok) return canceled;
  context.session.note(canceled.value.bookmark);
  return await getDeployment(context, id);
}

/** Deletes a deployment that is not live, and its log. Cancels it if it is running. */
export async function deleteDeployment(
  context: Context,
  projectId: ProjectId,
  id: DeploymentId,
): Promise<Result<null, "not_found" | "deployment_live" | "deployment_activating" | "unavailable">> {
  const deployment = await findDeploymentOfProject(context.rows, id);
  if (deployment === null || deployment.projectId !== projectId) {
    return notFound("deployment");
  }
  const owner = { accountId: context.account.id, projectId };
  const event = requestEvent(context, {
    type: "deployment.deleted",
    data: {
      project: eventProject({ ...deployment.project, id: projectId }),
      deployment: eventDeployment(deployment, context.clock.now()),
      replaced_by: null,
    },
  });
  const audit = requestEntry(context, { target: deploymentTarget(deployment), projectId });
  const command = { owner, id, actor: actorOf(context), change: storedChange(event, audit) };
  const deleted = await context.lanes.getByName(projectId).delete(command);
  if (!deleted.ok) return deleted;
  context.session.note(deleted.value.bookmark);
  return succeed(null);
}
