import type { ProjectSettings } from "#contract/endpoints/projects/project-settings.ts";
import type { ServerId } from "#contract/ids.ts";

/** The server that builds for all and is no server of the project, so it alone needs the repository; null: there is none. */
export function otherBuilder({
  build_on: builder,
  servers,
}: Pick<ProjectSettings, "build_on" | "servers">): ServerId | null {
  return builder === null || servers.some(({ id }) => id === builder) ? null : builder;
}
