import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { useDeployment, useProject } from "#dashboard/data/resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { whyHeld } from "#dashboard/shared/status.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { type Approval, useApprove } from "#dashboard/shared/use-approve.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { minuteText } from "#dashboard/text/times.ts";

type Props = { readonly deployment: Deployment };

/** Says what holds a deployment, or will hold it, and approves it. Renders nothing if nothing does. */
export function HeldNotice({ deployment }: Props) {
  const { project_id: projectId, kind, waiting_on: waiting, approved_by: approver, emergency } = deployment;
  const { value: project } = useProject(projectId);
  const why = whyHeld(deployment);
  if (waiting?.type === "approval" || waiting?.type === "commit") {
    const until = waiting.type === "approval" ? waiting.until : undefined;
    const phase = until === undefined ? "first" : { until };
    return <MissingApproval deployment={deployment} why={why} phase={phase} />;
  }
  if (waiting?.type === "deployment") {
    // The project's current rule. The deployment's own rule is known only once it is the first in the queue, and rarely
    // differs.
    const needsApproval =
      kind === "deploy" &&
      approver === null &&
      emergency === null &&
      (project?.approval ?? "none") !== "none";
    return needsApproval ? <MissingApproval deployment={deployment} why={null} phase="queued" /> : null;
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
  /** First in the queue, or behind others. `until`: its first servers have switched, and the others wait so long at most. */
  readonly phase: "first" | "queued" | { readonly until: string };
};

const obstacleTexts = {
  own: "You have started it, so another person must approve it.",
  person: "A member must approve it, and you are signed in without a name.",
} as const satisfies Record<NonNullable<Approval["obstacle"]>, string>;

function PhaseText({ phase, why }: Pick<MissingProps, "phase" | "why">) {
  switch (phase) {
    case "first":
      return (
        <>
          <strong>This deployment waits for an approval.</strong> {why} Without one, it is canceled after
          seven days.
        </>
      );
    case "queued":
      return (
        <>
          <strong>This deployment needs an approval.</strong> Without one, it waits when it is the first in
          the queue.
        </>
      );
    default:
      return (
        <>
          <strong>The first servers have switched.</strong> The others follow after an approval. Without one,
          the deployment is canceled and these go back, <Ago time={phase.until} />: {minuteText(phase.until)}.
        </>
      );
  }
}

function MissingApproval({ deployment, why, phase }: MissingProps) {
  const { reload } = useDeployment(deployment.id);
  const approval = useApprove(deployment, reload);
  const { mayApprove, obstacle, isKnown, label, approve, isRunning, problem } = approval;
  return (
    <div class="notice apply" role="status">
      <p>
        <PhaseText phase={phase} why={why} />
        {isKnown ? "" : " Its server has not resolved the commit yet."}
        {mayApprove ? "" : " You may not approve deployments."}
        {mayApprove && obstacle !== null ? ` ${obstacleTexts[obstacle]}` : ""}
      </p>
      {mayApprove && isKnown && obstacle === null ? (
        <Button variant="primary" onClick={approve} isBusy={isRunning}>
          {label}
        </Button>
      ) : null}
      <ProblemBox problem={problem} doing="Approving" />
    </div>
  );
}
