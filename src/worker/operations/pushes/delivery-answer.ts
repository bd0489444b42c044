import type { Decision } from "#contract/endpoints/hooks/push-decisions.ts";
import type { DeliveryAnswer } from "#contract/endpoints/hooks/schemas.ts";
import type { ReceivingHook } from "#worker/db/hooks/find-receiving-hook.ts";
import type { TakenPush } from "#worker/operations/pushes/taken-push.ts";

/** The answer to a delivery with pushes, which the forge shows on its page of the webhook. */
export function deliveryAnswer(taken: readonly TakenPush[]): DeliveryAnswer {
  const deployments = taken.flatMap(({ push, project, deployment }) =>
    deployment === null ? [] : [{ project: project?.name ?? null, ref: push.ref, ...deployment }],
  );
  const unstarted = (which: Decision["decision"]) =>
    taken.flatMap(({ push, project, decision, detail }) =>
      decision.decision === which && decision.reason !== null
        ? [{ project: project?.name ?? null, ref: push.ref, reason: decision.reason, detail: detail ?? "" }]
        : [],
    );
  const [ignored, refused] = [unstarted("ignored"), unstarted("refused")];
  const decision = deployments.length > 0 ? "deployed" : refused.length > 0 ? "refused" : "ignored";
  return { decision, detail: summaryOf({ deployments, ignored, refused }), deployments, ignored, refused };
}

function summaryOf({
  deployments,
  ignored,
  refused,
}: Pick<DeliveryAnswer, "deployments" | "ignored" | "refused">): string {
  const [only, ...others] = [...refused, ...ignored];
  if (deployments.length > 0) {
    const names = [...new Set(deployments.map(({ project }) => project))].join(", ");
    return `Started ${deployments.length === 1 ? "a deployment" : `${deployments.length} deployments`} of ${names}.`;
  }
  if (only !== undefined && others.length === 0) return only.detail;
  return refused.length > 0 ? "No deployment could be started." : "No project deploys this push.";
}

/** What is decided about a delivery without a push that concerns the hook. */
export type UnpushedDecision =
  | { readonly decision: "ignored"; readonly reason: "ping" | "not_a_push" }
  | { readonly decision: "refused"; readonly reason: "malformed" | "other_repository" };

/** The answer to such a delivery, which the forge shows on its page of the webhook. */
export function unpushedAnswer(
  hook: Pick<ReceivingHook, "repository">,
  { decision, reason }: UnpushedDecision,
): DeliveryAnswer {
  return { decision, detail: detailOf(reason, hook), deployments: [], ignored: [], refused: [] };
}

function detailOf(
  reason: UnpushedDecision["reason"],
  { repository }: Pick<ReceivingHook, "repository">,
): string {
  switch (reason) {
    case "ping":
      return "The hook works. The settings of each project decide about the next push.";
    case "not_a_push":
      return "The delivery is not about a push. Send only push events to this hook.";
    case "malformed":
      return "The body is not what this kind of git host documents for a push.";
    case "other_repository":
      return `The delivery is about another repository. This hook is for ${repository}. After a rename, create another hook.`;
  }
}
