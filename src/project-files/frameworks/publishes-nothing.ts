import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { isDetectedLater } from "#project-files/frameworks/is-detected-later.ts";

/** Whether a project runs as a server and names no folder to publish, so that its output directory does not count. */
export function publishesNothing(project: Project): boolean {
  return (
    !isDetectedLater(project) &&
    project.app_type === "server" &&
    project.automatic.includes("output_directory")
  );
}
