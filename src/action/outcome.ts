import type { Deployment, DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { failureText } from "#cli/views/deployment-text.ts";
import type { FollowEnd } from "#action/follow.ts";

/** The output `status`, and what follows the version in a sentence. `deployment`: as it is now; null: unknown. */
export function outcomeOf(
  end: FollowEnd,
  deployment: Deployment | null,
): { readonly status: string; readonly text: string } {
  // It was too late to cancel it.
  if (deployment?.status === "live") return { status: "live", text: "is live" };
  switch (end.kind) {
    case "held":
      return { status: "held", text: "is held and starts later" };
    case "lost":
      return { status: "unknown", text: "may still be running" };
    case "stopped":
      return { status: "canceled", text: "was stopped, because the job was canceled" };
    case "timed_out":
      return {
        status: "canceled",
        text: "was stopped, because it took longer than the input timeout allows",
      };
    case "ended":
      break;
  }
  switch (end.status) {
    case "live":
      return { status: end.status, text: "is live" };
    case "superseded":
      return { status: end.status, text: "was live and has been replaced by a newer deployment" };
    case "failed":
      return { status: end.status, text: "failed" };
    case "canceled":
    case "deleted":
      return { status: end.status, text: `was ${end.status}` };
    default:
      return { status: end.status, text: `ended as ${String(end.status)}` };
  }
}

/** Why it is not live, after a text. */
export function reasonOf(end: FollowEnd, deployment: Deployment | null): string {
  if (end.kind === "held") return `: it waits ${end.why}.`;
  if (end.kind === "lost") return `: ${end.problem.detail}`;
  const failure = deployment?.failure ?? null;
  if (failure === null) return ".";
  return `: ${[failureText(failure), ...causeLines(failure)].join("\n")}\n`;
}

/** The line of the output that tells why a deployment failed, and what to do about it, as far as they are known. */
export function causeLines({ failing_line: line, hint }: DeploymentFailure): string[] {
  return [line, hint].filter((text) => text !== undefined);
}
