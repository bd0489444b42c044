import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useRemoval } from "#dashboard/data/use-removal.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** Why a deployment cannot be deleted now; null: it can. */
function forbidden({ status, stage }: Deployment): string | null {
  if (status === "live")
    return "The live deployment cannot be deleted. Deploy or roll back first: then it is not the live one any more.";
  if (stage === "activate" || stage === "verify")
    return "The deployment is being switched to at this moment. It can be deleted once that has come to an end.";
  return null;
}

type Props = {
  readonly deployment: Deployment;
  readonly onClose: () => void;
  readonly onDeleted: () => unknown;
};

/** Asks whether a deployment is to be deleted, and does it; or says why it cannot be. */
export function DeleteDeployment({ deployment, onClose, onDeleted }: Props) {
  const { id, project_id: projectId, version, status } = deployment;
  const deleting = useRemoval(() =>
    api.deleteDeployment({ params: { project_id: projectId, deployment_id: id } }),
  );
  const reason = forbidden(deployment);
  const remove = async () => {
    if ((await deleting.run()) === null) return;
    onClose();
    onDeleted();
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
