import { approvalEndpoints } from "#contract/endpoints/deployments/approval-endpoints.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { ALL, useAccount, useAllowed, useProject } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { approvalObstacle } from "#dashboard/shared/approval-obstacle.ts";

const approvalApi = clientOf(approvalEndpoints);

export type Approval = {
  readonly mayApprove: boolean;
  /** Why the rule of the project excludes the caller; null: it does not. */
  readonly obstacle: ReturnType<typeof approvalObstacle>;
  /** Whether it is known what would be approved: nobody approves a commit that they have not seen. */
  readonly isKnown: boolean;
  /** What the button says, with the commit that is approved. */
  readonly label: string;
  readonly approve: () => Promise<void>;
  readonly isRunning: boolean;
  readonly problem: Problem | null;
};

/** The approval of a deployment. @param onEnd reads the deployment again */
export function useApprove(deployment: Deployment, onEnd: () => unknown): Approval {
  const { id, project_id: projectId, kind, commit, commit_sha: sha, waiting_on: waiting } = deployment;
  // The wait after the first servers has an approval of its own.
  const until = waiting?.type === "approval" ? waiting.until : undefined;
  const { value: account } = useAccount(ALL);
  const { value: project } = useProject(projectId);
  const mayApprove = useAllowed(approvalEndpoints.approveDeployment, projectId);
  const approving = useAction(() =>
    approvalApi.approveDeployment({
      params: { deployment_id: id },
      body: { ...(sha === null ? {} : { commit: sha }), ...(until === undefined ? {} : { until }) },
    }),
  );
  return {
    mayApprove,
    obstacle:
      account === null || project === null ? null : approvalObstacle(account, deployment, project.approval),
    // A change of settings applies to the release that is live at its turn.
    isKnown: sha !== null || kind === "config",
    label: commit === null ? "Approve" : `Approve ${commit}`,
    approve: async () => {
      await approving.run();
      await onEnd();
    },
    isRunning: approving.isRunning,
    problem: approving.problem,
  };
}
