import type { Failure, FailureCode } from "#contract/endpoints/deployments/schemas.ts";
import { buildingLabels } from "#dashboard/text/labels.ts";

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
  not_live: "Nothing was live, so there was nothing to restart or to apply settings to.",
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

/** The message of such a failure says which command failed and how, so its text adds nothing. */
export function namesItsCommand(code: FailureCode): boolean {
  return code === "install_failed" || code === "build_failed";
}

/** A longer message is not part of the headline. */
const MAX_TITLE = 120;

/** The headline of a failure: the stage, and its message if that is short. Otherwise `detail` is the message. */
export function failureTitle({ stage, message }: Pick<Failure, "stage" | "message">): {
  readonly title: string;
  readonly detail: string | null;
} {
  const what = `${stage === "queued" ? "Start" : buildingLabels[stage]} failed`;
  const isShort = message.length <= MAX_TITLE && !message.includes("\n");
  return isShort ? { title: `${what}: ${message}`, detail: null } : { title: what, detail: message };
}
