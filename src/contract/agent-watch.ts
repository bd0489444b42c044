import * as z from "zod/mini";

import { SealedToken } from "#contract/agent-order.ts";
import { listUpTo, textBetween, textUpTo, wholeBetween } from "#contract/bounds.ts";
import { BranchName, CommitSha, MAX_COMMIT_MESSAGE, Repository } from "#contract/git-names.ts";
import { ProjectId } from "#contract/ids.ts";

/** A push that changes more files counts as one whose files are unknown. */
export const MAX_PUSHED_PATHS = 1000;

/**
 * A branch that the agent looks at every `every_seconds`. `known_sha`: its newest commit that the control plane knows
 * of. `settle_seconds`: how long the agent waits before it looks again at a tip that moved, because a hook may be about
 * to report the push. `token`: the project's sealed GANTRY_REPOSITORY_TOKEN, if the repository's address needs it.
 */
export const WatchedBranch = z.strictObject({
  project_id: ProjectId,
  project_name: z.string(),
  repository: Repository,
  branch: BranchName,
  token: z.optional(SealedToken),
  every_seconds: wholeBetween(1, 86_400),
  settle_seconds: wholeBetween(0, 3_600),
  known_sha: CommitSha,
});
export type WatchedBranch = z.infer<typeof WatchedBranch>;

/**
 * A watched branch has another commit than `before`, the known one. `repository` and `branch` come from the message
 * that asked to watch it. `paths`: the files that differ; null: unknown, or too many.
 */
export const TipMoved = z.strictObject({
  type: z.literal("tip_moved"),
  project_id: ProjectId,
  repository: Repository,
  branch: BranchName,
  before: CommitSha,
  commit_sha: CommitSha,
  commit_message: textUpTo(MAX_COMMIT_MESSAGE),
  paths: z.nullable(listUpTo(textBetween(1, 1024), MAX_PUSHED_PATHS)),
});
export type TipMoved = z.infer<typeof TipMoved>;
