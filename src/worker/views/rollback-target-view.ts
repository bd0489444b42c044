import type { RollbackTarget } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import type { Lane } from "#domain/lane/lane.ts";
import type { KnownTarget } from "#domain/lane/rollback-target.ts";
import { keptRelease } from "#domain/lane/run-order.ts";
import { abbreviatedCommit } from "#worker/views/deployment-view.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** A rollback target in the API. @param serverId the server on which the rollback would run */
export function rollbackTargetView(
  lane: Lane,
  { deployment, isDefault }: KnownTarget,
  serverId: ServerId,
): RollbackTarget {
  const { id, version, codeVersion, branch, commitSha, commitMessage, state } = deployment;
  return {
    deployment_id: id,
    version,
    branch,
    commit: abbreviatedCommit(commitSha),
    commit_message: commitMessage,
    live_at: timestamp(state.finishedAt),
    instant: keptRelease(lane, serverId, codeVersion) !== null,
    default: isDefault,
  };
}
