import type { Deployment, StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { useMay } from "#dashboard/data/resources.ts";
import { useRedeploy } from "#dashboard/data/use-redeploy.ts";
import { goFromHere } from "#dashboard/router/navigation.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** Deploys again what failed or was canceled: the newest commit of its branch. */
export function DeployAgain({ deployment }: { readonly deployment: Deployment }) {
  const mayDeploy = useMay("startDeployment");
  const redeploying = useRedeploy(deployment);
  const deploy = async (change: StartDeploymentInput = {}) => {
    const go = goFromHere();
    const started = await redeploying.run(change);
    if (started !== null) go({ page: "deployment", id: started.value.id });
  };
  if (!mayDeploy) return null;
  const isConfig = deployment.kind === "config";
  return (
    <div class="actions">
      <Button variant="primary" onClick={() => deploy()} isBusy={redeploying.isRunning}>
        {isConfig ? "Apply again" : `Deploy ${withHiddenShown(deployment.branch)} again`}
      </Button>
      {deployment.status === "failed" && !isConfig ? (
        <Button onClick={() => deploy({ clear_cache: true })} isBusy={redeploying.isRunning}>
          Clear cache and deploy
        </Button>
      ) : null}
      <ProblemBox problem={redeploying.problem} doing="Deploying" />
    </div>
  );
}
