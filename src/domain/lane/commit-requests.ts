import type { AgentRequestOf } from "#contract/agent-requests.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { backOffMs } from "#contract/lib/back-off.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import { findDeployment, type Lane, type Named, queuedOf, replaceDeployment } from "#domain/lane/lane.ts";
import { resolverOf } from "#domain/lane/pins.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";

/** The time between two requests to an agent that is connected and does not answer. */
const BETWEEN_TRIES = { firstMs: RESEND_MS, longestMs: 10 * 60_000 };

/** A request to resolve a commit. `variables`: the request gets the repository's token from them. */
export type CommitRequest = {
  readonly deploymentId: DeploymentId;
  readonly serverId: ServerId;
  readonly variables: DeploymentVariables | null;
  readonly message: AgentRequestOf<"resolve_commit">;
};

/**
 * The requests that were not sent yet, or not answered in time. They follow from the lane, so a request that was lost
 * with its isolate is sent again. Deployments that are not first are resolved too, because they can be approved before.
 */
export function commitRequests(lane: Lane, projectId: ProjectId, now: number): CommitRequest[] {
  return queuedOf(lane)
    .filter((one) => now >= (requestAt(one) ?? Infinity))
    .map((one) => {
      const { plan } = one.state;
      return {
        deploymentId: one.id,
        serverId: resolverOf(one),
        variables: one.variables,
        message: {
          type: "resolve_commit",
          request_id: one.runId,
          project_id: projectId,
          project_name: plan.name,
          deployment_id: one.id,
          source: {
            repository: plan.repository,
            branch: one.branch,
            commit: one.requestedCommit,
            commits: plan.commits,
            in_branch: one.inBranch,
          },
          timeout_seconds: plan.timeouts.fetch_seconds,
        },
      };
    });
}

/** When the next request is sent, in Unix milliseconds; null: none is needed, or it waits for an agent to connect. */
export function nextCommitRequestAt(lane: Lane): number | null {
  const times = queuedOf(lane).flatMap((one) => requestAt(one) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function requestAt({ pin }: Named<"queued">): number | null {
  if (pin.name !== "unknown") return null;
  if (pin.lastSend === null) return 0;
  return pin.lastSend.undelivered ? null : pin.lastSend.sentAt + backOffMs(pin.tries, BETWEEN_TRIES);
}

/** Records that a request was sent. */
export function noteCommitRequest(
  lane: Lane,
  deploymentId: DeploymentId,
  undelivered: boolean,
  now: number,
): Lane {
  const deployment = findDeployment(lane, deploymentId);
  if (deployment?.pin.name !== "unknown") return lane;
  const tries = undelivered ? 0 : deployment.pin.tries + 1;
  const pin = { name: "unknown", lastSend: { sentAt: now, undelivered }, tries } as const;
  return replaceDeployment(lane, { ...deployment, pin });
}
