import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";

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
  const title = `Delete v${version}`;
  const reason = forbidden(deployment);
  if (reason !== null) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p class="problem">{reason}</p>
        <footer>
          <Button onClick={onClose}>Close</Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <RemovalDialog
      title={title}
      remove={() => api.deleteDeployment({ params: { project_id: projectId, deployment_id: id } })}
      onClose={onClose}
      onRemoved={onDeleted}
    >
      <p>
        {status === "building" ? "This cancels the deployment and deletes" : "This deletes"} its record and
        log. This cannot be undone. The live deployment does not change.
      </p>
    </RemovalDialog>
  );
}
