import {
  type DeploymentFailure,
  type FailureEvidence,
  MAX_FAILURE_HINT,
  MAX_FAILURE_MESSAGE,
  MAX_HEALTH_BODY,
  MAX_STDERR_TAIL,
} from "#contract/endpoints/deployments/schemas.ts";
import { withControlsShown } from "#contract/log-text.ts";

const DISK_FULL_HINT =
  "Free some space on the server. If it has enough, it has too many files: `df -i` shows how many. Projects with a smaller keep_releases keep fewer releases.";

/** Creates a failure. Texts are cut to the limits of the control plane, and show control characters. */
export function makeFailure(
  code: DeploymentFailure["code"],
  stage: DeploymentFailure["stage"],
  message: string,
  evidence?: FailureEvidence,
  hint: string | null = code === "disk_full" ? DISK_FULL_HINT : null,
): DeploymentFailure {
  const failure: DeploymentFailure = {
    code,
    stage,
    message: head(withControlsShown(message), MAX_FAILURE_MESSAGE),
  };
  if (hint !== null) failure.hint = head(withControlsShown(hint), MAX_FAILURE_HINT);
  if (evidence !== undefined) {
    failure.evidence = { ...evidence };
    if (evidence.stderr_tail !== undefined)
      failure.evidence.stderr_tail = evidence.stderr_tail.slice(-MAX_STDERR_TAIL).toWellFormed();
    if (evidence.health_body !== undefined)
      failure.evidence.health_body = head(evidence.health_body, MAX_HEALTH_BODY);
  }
  return failure;
}

/** The first `length` characters of a text, without half a character at its end. */
export function head(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
