import type {
  DeploymentStage,
  DeploymentStatus,
  FailureCode,
} from "#contract/endpoints/deployments/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import type { Scope } from "#contract/scopes.ts";
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

export const serverStatusLabels: Record<ServerStatus, string> = {
  pending: "Waiting for agent",
  healthy: "Healthy",
  degraded: "Disk nearly full",
  offline: "Offline",
};

/** The cause of each failure, and how to fix it. */
export const failureTexts: Record<FailureCode, string> = {
  fetch_failed: "The server could not fetch the code from the repository.",
  ref_not_found: "The repository has no such branch or commit.",
  commit_not_reachable:
    "No branch or tag contains this commit. Push it to a branch, or allow such commits in the project's settings.",
  tool_missing: "The server does not have a tool that the build needs.",
  install_failed: "The dependencies could not be installed.",
  build_failed: "The build command failed, or its output cannot be published.",
  release_failed: "The release command failed. The previous release stays live.",
  not_live: "Nothing was live, so there was nothing to restart or to give new settings.",
  start_failed: "The new release did not start. The previous release stays live.",
  activate_failed: "The server could not switch to the new release. The previous release stays live.",
  health_check_failed: "The new release failed its health check. The previous release stays live.",
  timed_out: "A stage exceeded its time limit.",
  server_lost: "The server lost contact during the deployment.",
  server_offline: "The server did not connect in time to start the deployment.",
  disk_full: "The server's disk is full.",
  refused_by_policy: "The policy file on the server does not allow this.",
  secrets_unreadable: "The server could not open secrets of the project. Enter them again.",
  internal: "An internal error occurred in Gantry.",
};

export const scopeLabels: Record<Scope, string> = {
  "deployments:read": "View deployments and logs",
  "deployments:write": "Deploy, roll back, cancel and delete",
  "projects:read": "View projects and their settings",
  "projects:write": "Create, change and delete projects",
  "servers:read": "View servers",
  "servers:write": "Add, change and remove servers",
  "tokens:read": "View tokens, without their secrets",
  "tokens:write": "Create, rotate and revoke tokens",
  "account:write": "Change account settings",
};

/** A problem as a sentence, with the fields that are invalid. */
export function problemText(problem: Problem): string {
  if (problem.code === "unreachable")
    return navigator.onLine ? "The control plane cannot be reached." : "You are offline.";
  // A newer version may send fields that this page does not know.
  if (problem.code === "unexpected_answer" && problem.status < 400)
    return `${problem.detail} If Gantry was updated since you opened this page, reload the page.`;
  if (problem.code === "insufficient_scope") return `Your token does not allow this. ${problem.detail}`;
  const fields = (problem.errors ?? []).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
  return fields.length === 0 ? problem.detail : `${problem.detail} ${fields.join("; ")}.`;
}
