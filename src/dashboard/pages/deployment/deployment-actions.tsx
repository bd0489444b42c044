import { useState } from "preact/hooks";

import type { Deployment, StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { api } from "#dashboard/data/api.ts";
import { useDeployment, useMay } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useRedeploy } from "#dashboard/data/use-redeploy.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { DeleteDeployment } from "#dashboard/shared/delete-deployment.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { RollbackDialog } from "#dashboard/shared/rollback-dialog.tsx";
import { goFromHere } from "#dashboard/router/navigation.ts";

type Props = { readonly deployment: Deployment };

/** The actions that a deployment's status allows. */
export function DeploymentActions({ deployment }: Props) {
  const { id, project_id: projectId, status, stage, kind } = deployment;
  const isConfig = kind === "config";
  const [open, setOpen] = useState<"rollback" | "delete" | null>(null);
  const { reload } = useDeployment(id);
  const mayChange = useMay("startDeployment");
  const canceling = useAction(() => api.cancelDeployment({ params: { deployment_id: id } }));
  const again = useRedeploy(deployment);
  const cancel = async () => {
    await canceling.run();
    await reload();
  };
  const deployAgain = async (change: StartDeploymentInput) => {
    const go = goFromHere();
    const started = await again.run(change);
    if (started !== null) go({ page: "deployment", id: started.value.id });
  };
  const close = () => setOpen(null);
  const leave = goFromHere();
  if (!mayChange) return null;
  return (
    <>
      {status === "building" && stage !== "canceling" ? (
        <Button onClick={cancel} isBusy={canceling.isRunning}>
          Cancel deployment
        </Button>
      ) : null}
      {status === "superseded" ? (
        <Button onClick={() => setOpen("rollback")}>Roll back to this</Button>
      ) : null}
      {status === "failed" || status === "canceled" ? (
        <Button variant="primary" onClick={() => deployAgain({})} isBusy={again.isRunning}>
          {isConfig ? "Apply again" : `Deploy ${withHiddenShown(deployment.branch)} again`}
        </Button>
      ) : null}
      {status === "failed" && !isConfig ? (
        <Button onClick={() => deployAgain({ clear_cache: true })} isBusy={again.isRunning}>
          Clear cache and deploy
        </Button>
      ) : null}
      <Button onClick={() => setOpen("delete")}>Delete</Button>
      <ProblemBox problem={canceling.problem} doing="Canceling" />
      <ProblemBox problem={again.problem} doing="Deploying" />
      {open === "rollback" ? <RollbackDialog projectId={projectId} target={id} onClose={close} /> : null}
      {open === "delete" ? (
        <DeleteDeployment
          deployment={deployment}
          onClose={close}
          onDeleted={() => leave({ page: "project", id: projectId })}
        />
      ) : null}
    </>
  );
}
