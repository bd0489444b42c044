import type { Project, ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import { STATIC } from "#project-files/frameworks/usual-preset.ts";

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

/** As `isDetectedLater`, for a row of a list. A row does not show if `static` was chosen, so the framework may be known. */
export function mayBeDetectedLater({ framework, last_deploy: last }: ProjectRow): boolean {
  return last === null && framework === STATIC;
}
