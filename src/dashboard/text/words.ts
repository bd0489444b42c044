import type {
  DeploymentStage,
  DeploymentStatus,
  FailureCode,
} from "#contract/endpoints/deployments/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import type { Scope } from "#contract/scopes.ts";
import { stageLabels } from "#contract/stages.ts";
import type { ServerStatus } from "#contract/endpoints/servers/schemas.ts";

export const statusWords: Record<DeploymentStatus, string> = {
  building: "Running",
  live: "Live",
  superseded: "Superseded",
  failed: "Failed",
  canceled: "Canceled",
};

export const stageWords: Record<DeploymentStage, string> = {
  ...stageLabels,
  canceling: "Canceling",
};

export const serverWords: Record<ServerStatus, string> = {
  pending: "Waiting for its agent",
  healthy: "Healthy",
  degraded: "Disk nearly full",
  offline: "Offline",
};

/** What a failure means, and where to look first. */
export const failureWords: Record<FailureCode, string> = {
  fetch_failed: "The code could not be fetched from the repository.",
  ref_not_found: "The repository has no such branch or commit.",
  commit_not_reachable:
    "No branch or tag contains this commit. Push it to one, or change the project's settings.",
  build_failed: "The build command failed, or its output cannot be published.",
  activate_failed: "The new release could not be switched to; the one before serves on.",
  health_check_failed: "The new release did not pass its health check; the one before serves on.",
  timed_out: "A stage took longer than it may.",
  server_lost: "The server lost contact while the deployment ran.",
  server_offline: "The server did not come back in time for the deployment to begin.",
  disk_full: "The server's disk is full.",
  refused_by_policy: "The policy file on the server does not allow this.",
  internal: "Something went wrong in Gantry itself.",
};

export const scopeWords: Record<Scope, string> = {
  "deployments:read": "See deployments and their logs",
  "deployments:write": "Deploy, roll back, cancel and delete",
  "projects:read": "See projects and their settings",
  "projects:write": "Create, change and delete projects",
  "servers:read": "See servers",
  "servers:write": "Add, change and remove servers",
  "tokens:read": "See tokens, without their secrets",
  "tokens:write": "Make, rotate and revoke tokens",
  "account:write": "Change the account's settings",
};

/** Why something came to nothing, as a sentence, with the fields that are wrong. */
export function problemText(problem: Problem): string {
  if (problem.code === "unreachable")
    return navigator.onLine
      ? "The control plane cannot be reached at the moment."
      : "This machine is off line.";
  // What is new in what was updated while this page was open.
  if (problem.code === "unexpected_answer" && problem.status < 400)
    return `${problem.detail} If Gantry has been updated since this page was opened, reload it.`;
  if (problem.code === "insufficient_scope")
    return `The token that you are signed in with may not do this. ${problem.detail}`;
  const fields = (problem.errors ?? []).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
  return fields.length === 0 ? problem.detail : `${problem.detail} ${fields.join("; ")}.`;
}
