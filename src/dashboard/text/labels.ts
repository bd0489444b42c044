import type {
  Deployment,
  DeploymentStage,
  DeploymentStatus,
} from "#contract/endpoints/deployments/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import { stageLabels } from "#contract/stages.ts";
import type { ServerStatus } from "#contract/endpoints/servers/schemas.ts";

export const statusLabels: Record<DeploymentStatus, string> = {
  building: "Building",
  live: "Live",
  superseded: "Superseded",
  failed: "Failed",
  canceled: "Canceled",
};

export const buildingLabels: Record<DeploymentStage, string> = {
  ...stageLabels,
  canceling: "Canceling",
};

/** What a status is drawn from. `waiting_on`: what keeps the deployment from its start. */
export type StatusFacts = Pick<Deployment, "status" | "stage" | "waiting_on">;

/** How a deployment stands: a label, and the class of its color. */
export type DeploymentState = { readonly label: string; readonly tone: string };

/** A deployment's status, or the reason why it waits, or its stage while it runs. */
export function deploymentState({ status, stage, waiting_on: waiting }: StatusFacts): DeploymentState {
  if (waiting === null)
    return { label: stage === null ? statusLabels[status] : buildingLabels[stage], tone: status };
  switch (waiting.type) {
    case "approval":
      return { label: "Needs approval", tone: "approval" };
    case "freeze":
      return { label: "Held", tone: "held" };
    case "batch":
      return { label: "Pausing", tone: "held" };
    case "commit":
    case "deployment":
    case "server":
      return { label: buildingLabels.queued, tone: "queued" };
    default:
      return { label: waiting.type, tone: "held" };
  }
}

export const serverStatusLabels: Record<ServerStatus, string> = {
  pending: "Waiting for agent",
  healthy: "Healthy",
  degraded: "Degraded",
  offline: "Offline",
};

/** A problem as a sentence, with the fields that are invalid. */
export function problemText(problem: Problem): string {
  if (problem.code === "unreachable")
    return navigator.onLine ? "The control plane cannot be reached." : "You are offline.";
  // A newer version may send fields that this page does not know.
  if (problem.code === "unexpected_answer" && problem.status < 400)
    return `${problem.detail} If Gantry was updated since you opened this page, reload the page.`;
  if (problem.code === "insufficient_scope")
    return `Your role or token does not allow this. ${problem.detail}`;
  // Where there is one error, the detail may already say it.
  const fields = (problem.errors ?? [])
    .filter(({ message }) => !problem.detail.includes(message))
    .map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
  return fields.length === 0 ? problem.detail : `${problem.detail} ${fields.join("; ")}.`;
}
