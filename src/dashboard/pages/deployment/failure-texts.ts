import type {
  Deployment,
  DeploymentFailure,
  DeploymentRun,
  FailureCode,
} from "#contract/endpoints/deployments/schemas.ts";
import { type Growing, knownOf } from "#contract/growing.ts";
import { buildingLabels } from "#dashboard/text/labels.ts";

const STAYS_LIVE = "A release that was live before stays live.";
const STAYS_ON_SOME =
  "Servers that have switched keep this release. The others keep the release that was live before.";

/** The meaning of a failure or how to fix it, where its headline is not enough; null: the headline is enough. */
export const failureAdvice: Record<FailureCode, string | null> = {
  fetch_failed: null,
  ref_not_found: null,
  commit_not_reachable:
    "No branch or tag contains this commit. Push it to a branch, or allow such commits in the project's settings.",
  tool_missing: "The server does not have a tool that the build needs.",
  containers_missing:
    "The project runs as a container. Install the agent with --with-containers, or move the project to a server that runs containers.",
  install_failed: null,
  build_failed: null,
  release_failed: STAYS_LIVE,
  not_live: "Nothing was live, so there was nothing to restart or to apply settings to.",
  start_failed: STAYS_LIVE,
  activate_failed: STAYS_LIVE,
  health_check_failed: STAYS_LIVE,
  timed_out: "The time limits are in the project's settings, under Releases.",
  server_lost: null,
  server_offline: null,
  disk_full: null,
  refused_by_policy: "The policy file on the server does not allow this.",
  image_unsigned: "The policy file on the server requires a signature of this image.",
  secrets_unreadable: "The server could not open or use secrets of the project. Enter them again.",
  artifact_invalid: "The server does not use a build that is damaged or not meant for it.",
  artifact_unavailable: "The build could not be passed from the server that builds to the others.",
  internal: "An internal error occurred in Gantry.",
};

/** The advice for a failure. A project's first deployment has no release before it, and some servers may not go back. */
export function adviceFor(
  code: Growing<FailureCode>,
  { version, runs }: Pick<Deployment, "version" | "runs">,
): string | null {
  const advice = knownOf(failureAdvice, code);
  const staysOn = ({ server_id: id, status }: DeploymentRun) =>
    status === "switched" && !runs.some((run) => run.server_id === id && run.purpose === "revert");
  if (runs.some(staysOn)) return advice === STAYS_LIVE ? STAYS_ON_SOME : advice;
  return advice === STAYS_LIVE && version === 1 ? null : advice;
}

/** A longer message is not part of the headline. */
const MAX_TITLE = 120;

/**
 * The headline of a failure: the stage, and its message if that is short. Otherwise `detail` is the message.
 * @param server the name of the server on which it failed; null: the project has one
 */
export function failureTitle(
  { stage, message }: Pick<DeploymentFailure, "stage" | "message">,
  server: string | null = null,
): {
  readonly title: string;
  readonly detail: string | null;
} {
  const where = server === null ? "" : ` on ${server}`;
  const what = `${stage === "queued" ? "Start" : buildingLabels[stage]} failed${where}`;
  const isShort = message.length <= MAX_TITLE && !message.includes("\n");
  return isShort ? { title: `${what}: ${message}`, detail: null } : { title: what, detail: message };
}
