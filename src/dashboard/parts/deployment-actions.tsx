import { useState } from "preact/hooks";

import type { Deployment } from "#contract/deployments.ts";
import { api } from "#dashboard/data/api.ts";
import { useDeployment } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/parts/button.tsx";
import { Dialog } from "#dashboard/parts/dialog.tsx";
import { ProblemBox } from "#dashboard/parts/problem-box.tsx";
import { RollbackDialog } from "#dashboard/parts/rollback-dialog.tsx";
import { goTo } from "#dashboard/router/navigation.ts";

type Props = { readonly deployment: Deployment };

/** What can be done with a deployment as it is now. */
export function DeploymentActions({ deployment }: Props) {
  const { id, project_id: projectId, status, stage } = deployment;
  const [open, setOpen] = useState<"rollback" | "delete" | null>(null);
  const { reload } = useDeployment(id);
  const canceling = useAction(() => api.cancelDeployment({ params: { deployment_id: id } }));
  const again = useAction(() =>
    api.startDeployment({
      params: { project_id: projectId },
      body: { branch: deployment.branch },
    }),
  );
  const cancel = async () => {
    await canceling.run();
    await reload();
  };
  const deployAgain = async () => {
    const started = await again.run();
    if (started !== null) goTo({ page: "deployment", id: started.value.id });
  };
  const close = () => setOpen(null);
  return (
    <>
      {status === "building" && stage !== "canceling" ? (
        <Button onClick={cancel} isBusy={canceling.isRunning}>
          Cancel
        </Button>
      ) : null}
      {status === "superseded" ? (
        <Button onClick={() => setOpen("rollback")}>Roll back to this</Button>
      ) : null}
      {status === "failed" || status === "canceled" ? (
        <Button look="main" onClick={deployAgain} isBusy={again.isRunning}>
          Deploy {deployment.branch} again
        </Button>
      ) : null}
      <Button onClick={() => setOpen("delete")}>Delete</Button>
      <ProblemBox problem={canceling.problem} doing="Canceling" />
      <ProblemBox problem={again.problem} doing="Deploying" />
      {open === "rollback" ? <RollbackDialog projectId={projectId} target={id} onClose={close} /> : null}
      {open === "delete" ? <DeleteDialog deployment={deployment} onClose={close} /> : null}
    </>
  );
}

/** Why a deployment cannot be deleted now; null: it can. */
function forbidden({ status, stage }: Deployment): string | null {
  if (status === "live")
    return "The live deployment cannot be deleted. Deploy or roll back first: then it is not the live one any more.";
  if (stage === "activate" || stage === "verify")
    return "The deployment is being switched to at this moment. It can be deleted once that has come to an end.";
  return null;
}

type DialogProps = Props & { readonly onClose: () => void };

function DeleteDialog({ deployment, onClose }: DialogProps) {
  const { id, project_id: projectId, version, status } = deployment;
  const deleting = useAction(() =>
    api.deleteDeployment({ params: { project_id: projectId, deployment_id: id } }),
  );
  const reason = forbidden(deployment);
  const remove = async () => {
    if ((await deleting.run()) !== null) goTo({ page: "project", id: projectId });
  };
  return (
    <Dialog title={`Delete v${version}`} onClose={onClose}>
      {reason === null ? (
        <p>
          {status === "building" ? "It is canceled, and its" : "Its"} record and its log are removed for good.
          What is live stays as it is.
        </p>
      ) : (
        <p class="problem">{reason}</p>
      )}
      <ProblemBox problem={deleting.problem} doing="Deleting" />
      <footer>
        <Button onClick={onClose}>{reason === null ? "Leave it" : "Close"}</Button>
        {reason === null ? (
          <Button look="danger" onClick={remove} isBusy={deleting.isRunning}>
            Delete
          </Button>
        ) : null}
      </footer>
    </Dialog>
  );
}
