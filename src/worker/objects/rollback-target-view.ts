import type { RollbackTarget } from "#contract/deployments.ts";
import type { KnownTarget } from "#domain/lane/rollback-target.ts";

/** A rollback target as the API shows it. */
export function viewTarget({ deployment, isDefault }: KnownTarget): RollbackTarget {
  const { id, version, branch, commitSha, commitMessage, state } = deployment;
  return {
    deployment_id: id,
    version,
    branch,
    commit: commitSha?.slice(0, 7) ?? null,
    commit_message: commitMessage,
    live_at: new Date(state.finishedAt).toISOString(),
    instant: state.releaseKept,
    default: isDefault,
  };
}
