import type { Containers } from "#contract/endpoints/servers/schemas.ts";

/** What makes containers on a server, for a person: `podman 5.4.2`, or why nothing does. */
export function containersText(containers: Containers): string {
  switch (containers.engine) {
    case null:
      return `no: ${containers.problem}`;
    case "podman":
      return `podman ${containers.version}`;
    default:
      return containers.engine;
  }
}
