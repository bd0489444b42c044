import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

/**
 * A queued deployment has no deadline only while it, or a deployment ahead of it, is held. A deployment can also wait for an
 * approval after its first servers have switched.
 */
export function isHeld({ status, stage, deadline_at, waiting_on: waiting }: Deployment): boolean {
  if (status !== "building") return false;
  return waiting?.type === "approval" || (stage === "queued" && deadline_at === null);
}
