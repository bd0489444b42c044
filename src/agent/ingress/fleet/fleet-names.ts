import type { ProjectId, ServerId } from "#contract/ids.ts";

// The names that servers of a fleet use among themselves, for TLS and inside of their own Caddy. No DNS has them, and no
// public authority issues certificates for them.

const ZONE = "fleet.gantry.internal";

/** Where a member takes requests for a project. Each project has a name, so that each can have other balancers. */
export const nameOfProject = (project: ProjectId): string => nameOf(project);

/** Where the check socket of a balancer leads to a member. */
export const nameOfMember = (server: ServerId): string => nameOf(server);

/** Where a member says whether it takes requests. */
export const READY_NAME = `ready.${ZONE}`;

/** In the client certificate of a balancer. */
export const BALANCER_NAME = `balancer.${ZONE}`;

/** An underscore is not allowed in host names. */
function nameOf(id: string): string {
  return `${id.toLowerCase().replaceAll("_", "-")}.${ZONE}`;
}
