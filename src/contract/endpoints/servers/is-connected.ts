import type { Server } from "#contract/endpoints/servers/schemas.ts";

/** Whether the server's agent is connected now. */
export function isConnected({ status }: Pick<Server, "status">): boolean {
  return status === "healthy" || status === "degraded";
}
