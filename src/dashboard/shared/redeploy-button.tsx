import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { useRedeploy } from "#dashboard/shared/use-redeploy.ts";

/** Deploys the commit of a live deployment again. */
export function RedeployButton({ live }: { readonly live: Deployment }) {
  const { redeploy, isRunning, problem } = useRedeploy(live);
  return (
    <>
      <ProblemBox problem={problem} doing="Deploying" />
      <Button onClick={() => redeploy()} isBusy={isRunning}>
        Redeploy
      </Button>
    </>
  );
}
