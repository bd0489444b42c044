import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { isCancelable } from "#dashboard/shared/is-cancelable.ts";
import { Menu, type MenuItem } from "#dashboard/shared/menu.tsx";
import { useRedeploy } from "#dashboard/shared/use-redeploy.ts";
import { problemText } from "#dashboard/text/labels.ts";

type Props = {
  readonly deployment: Deployment;
  readonly onCanceled: () => unknown;
  /** Called to open the dialogs, which outlive the row. */
  readonly onRollBack: () => void;
  readonly onDelete: () => void;
};

/** The menu of a deployment's row, with the actions that its status allows. */
export function DeploymentMenu({ deployment, onCanceled, onRollBack, onDelete }: Props) {
  const { id, version, status } = deployment;
  const canceling = useAction(() => api.cancelDeployment({ params: { deployment_id: id } }));
  const redeploying = useRedeploy(deployment);
  const cancel = async () => {
    await canceling.run();
    await onCanceled();
  };
  const problem = canceling.problem ?? redeploying.problem;
  const items: readonly MenuItem[] = [
    { label: "View", href: pathTo({ page: "deployment", id }) },
    ...(status === "superseded" ? [{ label: `Roll back to v${version}`, onSelect: onRollBack }] : []),
    ...(status === "building" ? [] : [{ label: "Redeploy", onSelect: () => redeploying.redeploy() }]),
    ...(isCancelable(deployment) ? [{ label: "Cancel", onSelect: cancel }] : []),
    { label: "Delete", onSelect: onDelete, isDanger: true },
  ];
  return (
    <>
      {problem === null ? null : (
        <span class="error" role="alert">
          {problemText(problem)}
        </span>
      )}
      <Menu
        label={`Actions for v${version}`}
        items={items}
        isBusy={canceling.isRunning || redeploying.isRunning}
      />
    </>
  );
}
