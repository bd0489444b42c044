import type { Deployment, StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import { api } from "#dashboard/data/api.ts";
import { processApi } from "#dashboard/data/process-resources.ts";
import { useProject } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { goFromHere } from "#dashboard/router/navigation.ts";

type Redeploy = {
  /** Starts the deployment, and navigates to its page. */
  readonly redeploy: (change?: StartDeploymentInput) => Promise<void>;
  readonly isRunning: boolean;
  /** Why the last start failed. */
  readonly problem: Problem | null;
};

/**
 * Deploys like an earlier deployment: the same commit if it was live, or else the latest one of its branch, because a
 * failure is often fixed by a later commit. A project that deploys no commits by hash also gets the latest one. What
 * failed to be applied without a build is applied again.
 */
export function useRedeploy(deployment: Deployment): Redeploy {
  const { kind, status, branch, commit_sha: commit } = deployment;
  const params = { project_id: deployment.project_id };
  const { value: project } = useProject(deployment.project_id);
  const wasLive = status === "live" || status === "superseded";
  const { run, isRunning, problem } = useAction((change: StartDeploymentInput) => {
    if (kind === "config" && !wasLive) return processApi.applyConfig({ params });
    const source =
      wasLive && commit !== null && project?.commits !== "none" ? { branch, commit } : { branch };
    return api.startDeployment({ params, body: { ...source, ...change } });
  });
  const redeploy = async (change: StartDeploymentInput = {}) => {
    const go = goFromHere();
    const started = await run(change);
    if (started !== null) go({ page: "deployment", id: started.value.id });
  };
  return { redeploy, isRunning, problem };
}
