import type { LedgerDecision } from "#contract/endpoints/hooks/push-decisions.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { Push } from "#domain/pushes/push.ts";

/** What was decided about a push for a project. `project`: null: there is none. */
export type DecidedPush = {
  readonly push: Push;
  readonly project: { readonly id: ProjectId; readonly name: string } | null;
  readonly decision: LedgerDecision;
  readonly detail: string | null;
  readonly deployment: { readonly id: DeploymentId; readonly version: number } | null;
  /** The commit that was live, if paths skipped the push. */
  readonly liveSha: string | null;
};
