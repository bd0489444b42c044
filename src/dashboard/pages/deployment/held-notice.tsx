import { approvalEndpoints } from "#contract/endpoints/deployments/approval-endpoints.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { useAllowed, useDeployment } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { dateText } from "#dashboard/text/times.ts";

const approvalApi = clientOf(approvalEndpoints);

type Props = { readonly deployment: Deployment };

/** Says what holds a deployment, and approves it. Renders nothing if nothing holds it. */
export function HeldNotice({ deployment: { id, waiting_on: waiting } }: Props) {
  if (waiting?.type === "approval") return <MissingApproval id={id} />;
  if (waiting?.type !== "freeze") return null;
  return (
    <div class="notice apply" role="status">
      <p>
        <strong>A freeze holds this deployment.</strong> It runs when the freeze ends,{" "}
        <Ago time={waiting.until} />: {dateText(waiting.until)}.
      </p>
      <a href={pathTo({ page: "freezes" })}>Freezes</a>
    </div>
  );
}

function MissingApproval({ id }: Pick<Deployment, "id">) {
  const { reload } = useDeployment(id);
  const mayApprove = useAllowed(approvalEndpoints.approveDeployment);
  const approving = useAction(() =>
    approvalApi.approveDeployment({ params: { deployment_id: id }, body: {} }),
  );
  const approve = async () => {
    await approving.run();
    await reload();
  };
  return (
    <div class="notice apply" role="status">
      <p>
        <strong>This deployment waits for an approval.</strong> Without one, it is canceled after seven days.
        {mayApprove ? "" : " Your token may not approve deployments."}
      </p>
      {mayApprove ? (
        <Button variant="primary" onClick={approve} isBusy={approving.isRunning}>
          Approve
        </Button>
      ) : null}
      <ProblemBox problem={approving.problem} doing="Approving" />
    </div>
  );
}
