import type { PushReason, PushSource, Verdict } from "#contract/endpoints/hooks/push-decisions.ts";
import type { Push } from "#contract/endpoints/hooks/schemas.ts";
import { type Growing, textOf } from "#contract/growing.ts";

export const decisionLabels: Record<Verdict, string> = {
  deployed: "Deployed",
  ignored: "Ignored",
  refused: "Refused",
};

/** The class of a decision, as of a deployment's status. */
export const decisionClasses: Record<Verdict, string> = {
  deployed: "live",
  ignored: "canceled",
  refused: "failed",
};

/** The reasons in a few words, for reasons without a sentence of their own. */
const reasonTexts: Record<PushReason, string> = {
  paths_incomplete: "Deployed, because not all changed files are known.",
  paths_not_comparable: "Deployed, because the changed files cannot be compared with the live deployment.",
  branch_not_watched: "The project does not deploy this branch.",
  tag_not_watched: "The project does not deploy this tag.",
  paths_unchanged: "No file that the project watches has changed.",
  skip_marker: "The commit message says to skip it.",
  ref_deleted: "The branch or tag was deleted.",
  disabled: "Deploy on push is off.",
  duplicate: "The same push was delivered before.",
  no_project: "No project uses this repository.",
  not_a_push: "It is not a push.",
  ping: "A test of the connection.",
  bad_signature: "The signature is wrong: the secret at the git host differs from the hook's secret.",
  no_signature: "It has no signature: the webhook at the git host has no secret.",
  too_old: "It was signed too long ago.",
  malformed: "Its content cannot be read.",
  too_large: "It is too large.",
  other_forge: "It is from another kind of git host than the hook is for.",
  other_repository: "It is of another repository.",
  repository_unread: "The server of the project has not read the repository yet.",
  queue_full: "The queue of the project was full.",
  secrets_not_sealed: "Secrets of the project must be entered again.",
  agent_outdated: "The agent of one of the project's servers is too old: update it.",
  containers_missing: "The project runs as a container, and one of its servers cannot run containers.",
  unavailable: "Gantry could not start the deployment. Replay it.",
};

export function reasonText(reason: Growing<PushReason>): string {
  return textOf(reasonTexts, reason);
}

/** Why a push was deployed, ignored or refused, as a sentence. */
export function whyText({ reason, detail }: Pick<Push, "reason" | "detail">): string {
  return detail ?? (reason === null ? "" : reasonText(reason));
}

/** A ref of git as people call it: `main`, `tag v1`. */
export function refText(ref: string): string {
  const [, kind, name = ""] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? [];
  if (kind === undefined) return ref;
  return kind === "tags" ? `tag ${name}` : name;
}

/** What reported a push to Gantry. */
export const sourceLabels: Record<PushSource, string> = {
  hook: "delivered to the hook",
  replay: "replayed",
  poll: "found by the server",
};
