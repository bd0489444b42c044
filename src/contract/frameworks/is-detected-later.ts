import type { Project } from "#contract/endpoints/projects/schemas.ts";

/**
 * Whether the framework of a project is detected at its first deployment. Until then the project has the settings of one
 * without a framework.
 */
export function isDetectedLater({
  automatic,
  framework_reasons: reasons,
  variables_applied: applied,
}: Project): boolean {
  return applied === null && reasons.length === 0 && automatic.includes("framework");
}
