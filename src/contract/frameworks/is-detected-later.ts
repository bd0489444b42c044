import type { Project } from "#contract/endpoints/projects/schemas.ts";

/**
 * Whether nobody has read the repository of a project with an automatic framework yet. Until then it has the settings
 * of a project without one.
 */
export function isDetectedLater({
  automatic,
  framework_reasons: reasons,
  variables_applied: applied,
}: Project): boolean {
  return applied === null && reasons.length === 0 && automatic.includes("framework");
}
