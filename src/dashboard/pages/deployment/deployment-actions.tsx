import { useState } from "preact/hooks";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useDeployment, useMay } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { DeployAgain } from "#dashboard/pages/deployment/deploy-again.tsx";
import { goFromHere } from "#dashboard/router/navigation.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { DeleteDeployment } from "#dashboard/shared/delete-deployment.tsx";
import { isCancelable } from "#dashboard/shared/is-cancelable.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { RedeployButton } from "#dashboard/shared/redeploy-button.tsx";
import { RollbackDialog } from "#dashboard/shared/rollback-dialog.tsx";

type Props = { readonly deployment: Deployment };

/** The actions that a deployment's status allows. The box of a failure has its own. */
export function DeploymentActions({ deployment }: Props) {
  const { id, project_id: projectId, version, status } = deployment;
  const [open, setOpen] = useState<"rollback" | "delete" | null>(null);
  const { reload } = useDeployment(id);
  const mayChange = useMay("startDeployment", projectId);
  const canceling = useAction(() => api.cancelDeployment({ params: { deployment_id: id } }));
  const cancel = async () => {
    await canceling.run();
    await reload();
  };
  const close = () => setOpen(null);
  const leave = goFromHere();
  if (!mayChange) return null;
  return (
    <>
      {isCancelable(deployment) ? (
        <Button onClick={cancel} isBusy={canceling.isRunning}>
          Cancel deployment
        </Button>
      ) : null}
      {status === "live" ? <RedeployButton live={deployment} /> : null}
      {status === "superseded" ? (
        <Button onClick={() => setOpen("rollback")}>Roll back to v{version}</Button>
      ) : null}
      {status === "canceled" ? <DeployAgain deployment={deployment} /> : null}
      <Button onClick={() => setOpen("delete")}>Delete</Button>
      <ProblemBox problem={canceling.problem} doing="Canceling" />
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
