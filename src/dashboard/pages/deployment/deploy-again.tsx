import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { useMay } from "#dashboard/data/resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { useRedeploy } from "#dashboard/shared/use-redeploy.ts";

/** Deploys again what failed or was canceled: the newest commit of its branch. */
export function DeployAgain({ deployment }: { readonly deployment: Deployment }) {
  const mayDeploy = useMay("startDeployment", deployment.project_id);
  const { redeploy, isRunning, problem } = useRedeploy(deployment);
  if (!mayDeploy) return null;
  const isConfig = deployment.kind === "config";
  return (
    <div class="actions">
      <Button variant="primary" onClick={() => redeploy()} isBusy={isRunning}>
        {isConfig ? "Apply again" : `Deploy ${withHiddenShown(deployment.branch)} again`}
      </Button>
      {deployment.status === "failed" && !isConfig ? (
        <Button onClick={() => redeploy({ clear_cache: true })} isBusy={isRunning}>
          Clear cache and deploy
        </Button>
      ) : null}
      <ProblemBox problem={problem} doing="Deploying" />
    </div>
  );
}
