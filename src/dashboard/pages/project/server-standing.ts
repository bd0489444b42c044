import type { ServerState } from "#contract/endpoints/projects/schemas.ts";

/** How a server of a project stands: a label, the class of its color, and whether it needs attention. */
export type ServerStanding = { readonly label: string; readonly tone: string; readonly isTrouble: boolean };

type Facts = Pick<ServerState, "status" | "health" | "checked_at">;

/** What a server serves, or why it needs attention. */
export function serverStanding({ status, health, checked_at: checkedAt }: Facts): ServerStanding {
  switch (status) {
    case "live":
      return health.state === "degraded"
        ? { label: "Degraded", tone: "degraded", isTrouble: true }
        : { label: "Live", tone: "live", isTrouble: false };
    case "ahead":
      return health.state === "degraded"
        ? { label: "Degraded", tone: "degraded", isTrouble: true }
        : { label: "Ahead", tone: "building", isTrouble: false };
    case "behind":
      return { label: "Behind", tone: "degraded", isTrouble: true };
    case "unknown":
      return checkedAt === null
        ? { label: "Not known yet", tone: "queued", isTrouble: true }
        : { label: "Not connected", tone: "offline", isTrouble: true };
    case "none":
      return { label: "Nothing deployed", tone: "queued", isTrouble: false };
    default:
      return { label: status, tone: "queued", isTrouble: false };
  }
}

/** The same servers, with the servers that need attention first. */
export function troubleFirst<State extends Facts>(servers: readonly State[]): State[] {
  const rank = (server: State) => (serverStanding(server).isTrouble ? 0 : 1);
  return servers.toSorted((one, other) => rank(one) - rank(other));
}
