import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { problemText } from "#dashboard/text/labels.ts";

type Props = {
  readonly deployment: Deployment;
  readonly onCanceled: () => unknown;
  readonly onDelete: () => void;
};

/** The actions in a deployment's row. */
export function RowActions({ deployment, onCanceled, onDelete }: Props) {
  const { id, version, status, stage } = deployment;
  const canceling = useAction(() => api.cancelDeployment({ params: { deployment_id: id } }));
  const cancel = async () => {
    await canceling.run();
    await onCanceled();
  };
  return (
    <>
      {canceling.problem === null ? null : (
        <span class="error" role="alert">
          {problemText(canceling.problem)}
        </span>
      )}
      {status === "building" && stage !== "canceling" ? (
        <Button variant="subtle" label={`Cancel v${version}`} onClick={cancel} isBusy={canceling.isRunning}>
          Cancel
        </Button>
      ) : null}
      <Button variant="subtle" label={`Delete v${version}`} onClick={onDelete}>
        Delete
      </Button>
    </>
  );
}
