import { approvalEndpoints } from "#contract/endpoints/deployments/approval-endpoints.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { useAllowed, useDeployment, useProject } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { whyHeld } from "#dashboard/shared/status.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { minuteText } from "#dashboard/text/times.ts";

const approvalApi = clientOf(approvalEndpoints);

type Props = { readonly deployment: Deployment };

/** Says what holds a deployment, or will hold it, and approves it. Renders nothing if nothing does. */
export function HeldNotice({ deployment }: Props) {
  const { project_id: projectId, kind, waiting_on: waiting, approved_by: approver, emergency } = deployment;
  const { value: project } = useProject(projectId);
  const why = whyHeld(deployment);
  if (waiting?.type === "approval" || waiting?.type === "commit")
    return <MissingApproval deployment={deployment} why={why} isFirst />;
  if (waiting?.type === "deployment") {
    // The project's current rule. The deployment's own rule is known only once it is the first in the queue, and rarely
    // differs.
    const needsApproval =
      kind === "deploy" &&
      approver === null &&
      emergency === null &&
      (project?.approval ?? "none") !== "none";
    return needsApproval ? <MissingApproval deployment={deployment} why={null} isFirst={false} /> : null;
  }
  if (waiting?.type !== "freeze") return null;
  return (
    <div class="notice apply" role="status">
      <p>
        <strong>A freeze holds this deployment.</strong> It runs when the freeze ends,{" "}
        <Ago time={waiting.until} />: {minuteText(waiting.until)}. {why}
      </p>
      <a href={pathTo({ page: "freezes" })}>Freezes</a>
    </div>
  );
}

type MissingProps = {
  readonly deployment: Deployment;
  /** Why a rollback needs one; null: it is no rollback. */
  readonly why: string | null;
  /** In the queue, where it waits for nothing else. */
  readonly isFirst: boolean;
};

function MissingApproval({ deployment, why, isFirst }: MissingProps) {
  const { id, kind, commit, commit_sha: sha } = deployment;
  const { reload } = useDeployment(id);
  // A change of settings applies to what is live at its turn.
  const isKnown = sha !== null || kind === "config";
  const mayApprove = useAllowed(approvalEndpoints.approveDeployment);
  const approving = useAction(() =>
    approvalApi.approveDeployment({
      params: { deployment_id: id },
      // What the button shows: nobody approves what they have not seen.
      body: sha === null ? {} : { commit: sha },
    }),
  );
  const approve = async () => {
    await approving.run();
    await reload();
  };
  return (
    <div class="notice apply" role="status">
      <p>
        {isFirst ? (
          <>
            <strong>This deployment waits for an approval.</strong> {why} Without one, it is canceled after
            seven days.
          </>
        ) : (
          <>
            <strong>This deployment needs an approval.</strong> Without one, it waits when it is the first in
            the queue.
          </>
        )}
        {isKnown ? "" : " Its server has not resolved the commit yet."}
        {mayApprove ? "" : " Your token may not approve deployments."}
      </p>
      {mayApprove && isKnown ? (
        <Button variant="primary" onClick={approve} isBusy={approving.isRunning}>
          Approve{commit === null ? "" : ` ${commit}`}
        </Button>
      ) : null}
      <ProblemBox problem={approving.problem} doing="Approving" />
    </div>
  );
}
