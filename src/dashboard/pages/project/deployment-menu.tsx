import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { isCancelable } from "#dashboard/shared/is-cancelable.ts";
import { Menu, type MenuItem } from "#dashboard/shared/menu.tsx";
import { useApprove } from "#dashboard/shared/use-approve.ts";
import { useRedeploy } from "#dashboard/shared/use-redeploy.ts";
import { problemText } from "#dashboard/text/labels.ts";

type Props = {
  readonly deployment: Deployment;
  /** Whether the token may do what the menu has. */
  readonly mayChange: boolean;
  /** Called after it was canceled or approved. */
  readonly onChanged: () => unknown;
  /** Called to open the dialogs, which outlive the row. */
  readonly onRollBack: () => void;
  readonly onDelete: () => void;
};

/** The actions of a deployment's row that its status allows: a menu, and the approval that it waits for. */
export function DeploymentMenu({ deployment, mayChange, onChanged, onRollBack, onDelete }: Props) {
  const { id, version, status } = deployment;
  const canceling = useAction(() => api.cancelDeployment({ params: { deployment_id: id } }));
  const redeploying = useRedeploy(deployment);
  const cancel = async () => {
    await canceling.run();
    await onChanged();
  };
  const approval = useApprove(deployment, onChanged);
  const needsApproval =
    deployment.waiting_on?.type === "approval" &&
    approval.mayApprove &&
    approval.isKnown &&
    approval.obstacle === null;
  const problem = approval.problem ?? canceling.problem ?? redeploying.problem;
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
      {needsApproval ? (
        <Button
          onClick={approval.approve}
          isBusy={approval.isRunning}
          label={`${approval.label}, v${version}`}
        >
          Approve
        </Button>
      ) : null}
      {mayChange ? (
        <Menu
          label={`Actions for v${version}`}
          items={items}
          isBusy={canceling.isRunning || redeploying.isRunning}
        />
      ) : null}
    </>
  );
}
