import type { ApproveInput, Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { type ApprovalRefusal, refuseOtherApproved } from "#domain/lane/decide-approve.ts";
import type { Context } from "#worker/context.ts";
import { findDeployment } from "#worker/db/deployments/find-deployment.ts";
import { requestEntry } from "#worker/operations/changes/request-changes.ts";
import { deploymentTarget } from "#worker/views/audit-view.ts";
import { getDeployment } from "#worker/operations/deployments/get-deployment.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Approves a queued deployment, and returns it. */
export async function approveDeployment(
  context: Context,
  id: DeploymentId,
  input: ApproveInput,
): Promise<Result<Deployment, ApprovalRefusal | "not_found" | "unavailable">> {
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return notFound("deployment");
  const commit = input.commit ?? null;
  // The lane may have dropped a deployment that has ended, so D1 decides this.
  if (deployment.status !== "building") {
    if (deployment.approvedBy === null)
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
    const command = { owner, id, actor: actorOf(context), commit, audit };
    const approved = await context.lanes.getByName(projectId).approve(command);
    if (!approved.ok) return approved;
    context.session.note(approved.value.bookmark);
  }
  return await getDeployment(context, id);
}
