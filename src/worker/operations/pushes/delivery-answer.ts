import type { LedgerDecision } from "#contract/endpoints/hooks/push-decisions.ts";
import type { DeliveryAnswer } from "#contract/endpoints/hooks/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import type { PushedImage } from "#domain/pushes/delivery.ts";
import { expectedName, repositoryFields } from "#domain/pushes/read-delivery.ts";
import type { ReceivingHook } from "#worker/db/hooks/hook-changes.ts";
import type { DecidedPush } from "#worker/operations/pushes/decided-push.ts";

/** The answer to a delivery with pushes, which the forge shows on its page of the webhook. */
export function deliveryAnswer(taken: readonly DecidedPush[]): DeliveryAnswer {
  const deployments = taken.flatMap(({ push, project, deployment }) =>
    deployment === null ? [] : [{ project: project?.name ?? null, ref: push.ref, ...deployment }],
  );
  const unstarted = (which: LedgerDecision["decision"]) =>
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

/** What is decided about a delivery without a push. */
export type UnpushedDecision = { readonly decision: "ignored"; readonly reason: "ping" | "not_a_push" };

/** The answer to such a delivery, which the forge shows on its page of the webhook. */
export function unpushedAnswer({ decision, reason }: UnpushedDecision): DeliveryAnswer {
  const details: Readonly<Record<UnpushedDecision["reason"], string>> = {
    ping: "The hook works. The settings of each project decide about the next push.",
    not_a_push: "The delivery is not about a push. Send only push events to this hook.",
  };
  return { decision, detail: details[reason], deployments: [], ignored: [], refused: [] };
}

/** The answer to images of other repositories: a registry reports all its images to each hook. */
export function otherImagesAnswer(
  { forge, repositoryKey }: Pick<ReceivingHook, "forge" | "repositoryKey">,
  images: readonly PushedImage[],
): DeliveryAnswer {
  const seen = [...new Set(images.map(({ repository }) => repository))].join(", ").slice(0, MAX_SEEN);
  const detail = `The delivery is about ${seen}. This hook accepts ${expectedName(forge, repositoryKey)}.`;
  return { ...unpushedAnswer({ decision: "ignored", reason: "not_a_push" }), detail };
}

/** Why the hook does not accept an authentic delivery. `seen`: the repository that it is about. */
export type RefusedPayload =
  | { readonly reason: "malformed"; readonly field: string | null }
  | { readonly reason: "other_repository"; readonly seen: string };

/** Longer names are cut, and more names of projects are counted. */
const MAX_SEEN = 200;
const MAX_NAMES = 10;

/** The answer to such a delivery. @param projectNames the projects of the hook's repository */
export function refusedAnswer(
  { forge, repository, repositoryKey }: Pick<ReceivingHook, "forge" | "repository" | "repositoryKey">,
  refused: RefusedPayload,
  projectNames: readonly string[],
): DeliveryAnswer {
  return { decision: "refused", detail: detailOf(), deployments: [], ignored: [], refused: [] };

  function detailOf(): string {
    switch (refused.reason) {
      case "malformed": {
        const what = refused.field === null ? "" : `: ${refused.field} is missing or wrong`;
        return `The body is not what this kind of git host documents for a push${what}.`;
      }
      case "other_repository":
        return [
          `The delivery is about ${refused.seen.slice(0, MAX_SEEN)} (${repositoryFields[forge]}).`,
          `This hook is for ${maskRepository(repository)}: it accepts ${expectedName(forge, repositoryKey)}${ofProjects(projectNames)}.`,
          "After a rename, create another hook.",
        ].join(" ");
    }
  }
}

function ofProjects(names: readonly string[]): string {
  if (names.length === 0) return ", which no project has";
  const more = names.length - MAX_NAMES;
  const listed = `${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `, of ${names.length === 1 ? "the project" : "the projects"} ${listed}`;
}
