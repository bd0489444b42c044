import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useRemoval } from "#dashboard/data/use-removal.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** Why a deployment cannot be deleted now; null if it can. */
function forbidden({ status, stage }: Deployment): string | null {
  if (status === "live")
    return "The live deployment cannot be deleted. Deploy or roll back to another version first.";
  if (stage === "release" || stage === "start" || stage === "activate" || stage === "verify")
    return "This deployment is going live at the moment. You can delete it when that has ended.";
  return null;
}

type Props = {
  readonly deployment: Deployment;
  readonly onClose: () => void;
  readonly onDeleted: () => unknown;
};

/** Confirms and deletes a deployment, or says why it cannot be deleted. */
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
          {status === "building" ? "This cancels the deployment and deletes" : "This deletes"} its record and
          log. This cannot be undone. The live deployment does not change.
        </p>
      ) : (
        <p class="problem">{reason}</p>
      )}
      <ProblemBox problem={deleting.problem} doing="Deleting" />
      <footer>
        <Button onClick={onClose}>{reason === null ? "Cancel" : "Close"}</Button>
        {reason === null ? (
          <Button variant="danger" onClick={remove} isBusy={deleting.isRunning}>
            Delete
          </Button>
        ) : null}
      </footer>
    </Dialog>
  );
}
