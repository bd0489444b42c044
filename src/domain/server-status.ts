import { isNearlyFull } from "#contract/endpoints/servers/nearly-full.ts";
import type { Disk, ServerStatus } from "#contract/endpoints/servers/schemas.ts";

/** What the status of a server follows from. `hasBeenSeen`: its agent has connected at least once. */
export type ServerCondition = {
  readonly isConnected: boolean;
  readonly hasBeenSeen: boolean;
  readonly disk: Disk | null;
  readonly ingressProblem: string | null;
};

export function serverStatus({
  isConnected,
  hasBeenSeen,
  disk,
  ingressProblem,
}: ServerCondition): ServerStatus {
  if (!isConnected) return hasBeenSeen ? "offline" : "pending";
  return (disk !== null && isNearlyFull(disk)) || ingressProblem !== null ? "degraded" : "healthy";
}

/**
 * How long an agent must be disconnected before the server's status is an event. Agents reconnect in a few seconds when
 * the control plane or the agent is updated.
 */
export const OFFLINE_AFTER_MS = 60_000;

/** `reported`: the status of the last event; null: there was none. `awaySince`: Unix milliseconds; null: it is connected. */
export type StatusRecord = { readonly reported: ServerStatus | null; readonly awaySince: number | null };

/** Whether the status of a server is an event now. @returns `event`: null: it is not */
export function noteStatus(
  { reported, awaySince }: StatusRecord,
  status: ServerStatus,
  now: number,
): { readonly record: StatusRecord; readonly event: "healthy" | "degraded" | "offline" | null } {
  switch (status) {
    case "pending":
      return { record: { reported, awaySince: null }, event: null };
    case "healthy":
    case "degraded":
      return { record: { reported: status, awaySince: null }, event: reported === status ? null : status };
    case "offline": {
      const since = awaySince ?? now;
      const isDue = reported !== "offline" && now >= since + OFFLINE_AFTER_MS;
      return {
        record: { reported: isDue ? status : reported, awaySince: since },
        event: isDue ? status : null,
      };
    }
  }
}

/** When the status of a disconnected server will be an event, in Unix milliseconds; null: it is one, or it is connected. */
export function offlineEventAt({ reported, awaySince }: StatusRecord): number | null {
  return awaySince === null || reported === "offline" ? null : awaySince + OFFLINE_AFTER_MS;
}
