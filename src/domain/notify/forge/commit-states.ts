import type { DeploymentEvent, EventDeployment } from "#contract/endpoints/events/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { sentence } from "#contract/lib/sentence.ts";
import { happened } from "#domain/notify/deployment-message.ts";
import { fitText, plainLine } from "#domain/notify/limit-text.ts";

/** GitHub's limit for the description of a status. The other forges allow more. */
const MAX_DESCRIPTION = 140;

/** `running`: it has its commit, and is no longer queued. */
export type CommitState = "pending" | "running" | "success" | "failure" | "canceled";

/** The status of a commit at a forge. */
export type CommitStatus = {
  readonly sha: string;
  readonly state: CommitState;
  readonly description: string;
};

/**
 * The states of commits that an event changes. A deployment of a branch may take a newer commit than the pushed one: then
 * the pushed one, which was pending, ends with it. A deployment of changed settings is not about its commit.
 */
export function commitStates(event: DeploymentEvent): readonly CommitStatus[] {
  const { deployment } = event.data;
  const state = stateOf(event.type);
  if (state === null || deployment.kind === "config") return [];
  const { commit_sha: commit, pushed_sha: pushed } = deployment;
  const isEnd = state !== "pending" && state !== "running";
  const shas = isEnd ? [commit, pushed] : [commit ?? pushed];
  return [...new Set(shas)].filter(isSha).map((sha) => ({
    sha,
    state,
    description: describe(event, sha),
  }));
}

/** The state of a deployment's commit after an event; null: the event does not change it. */
export function stateOf(type: DeploymentEvent["type"]): CommitState | null {
  switch (type) {
    case "deployment.started":
    case "deployment.emergency":
    case "deployment.held":
    case "deployment.approved":
      return "pending";
    case "deployment.building":
    case "deployment.batch":
      return "running";
    case "deployment.live":
      return "success";
    case "deployment.failed":
      return "failure";
    case "deployment.canceled":
      return "canceled";
    // The status of the commit stays.
    case "deployment.superseded":
    case "deployment.deleted":
      return null;
  }
}

/** One sentence or two about a commit of a deployment. */
export function describe(event: DeploymentEvent, sha: string): string {
  const { deployment } = event.data;
  const parts = [sentence(`${happened(event)}${otherCommit(deployment, sha)}`), detail(event)];
  return fitText(parts.filter((part) => part !== "").join(" "), MAX_DESCRIPTION);
}

function otherCommit({ commit_sha: commit }: EventDeployment, sha: string): string {
  return commit === null || commit === sha ? "" : ` with the commit ${commit.slice(0, 7)}`;
}

function detail({ type, data: { deployment, actor, replaced_by: newer } }: DeploymentEvent): string {
  switch (type) {
    case "deployment.live":
      return `It took ${durationText(deployment.duration)}.`;
    case "deployment.failed":
      return plainLine(deployment.failure?.message ?? "");
    case "deployment.canceled":
      return newer === null ? sentence(`by ${plainLine(actor.name)}`) : "";
    case "deployment.started":
    case "deployment.emergency":
    case "deployment.held":
    case "deployment.approved":
    case "deployment.building":
    case "deployment.batch":
    case "deployment.superseded":
    case "deployment.deleted":
      return "";
  }
}

const isSha = (sha: string | null): sha is string =>
  sha !== null && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha);
