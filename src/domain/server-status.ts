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
const OFFLINE_AFTER_MS = 60_000;

/**
 * How long a degraded server must be healthy before that is an event. A disk whose free space moves around the limit, or
 * an ingress that fails again and again, would otherwise cause two events each time.
 */
const HEALTHY_AFTER_MS = 5 * 60_000;

/**
 * The status that the last event reported, and since when it no longer applies.
 * @property reported the status of the last event; null: there was none
 * @property awaySince Unix milliseconds; null: the agent is connected
 * @property healthySince since when a server whose last event is `degraded` is healthy; null: it is not
 */
export type StatusRecord = {
  readonly reported: ServerStatus | null;
  readonly awaySince: number | null;
  readonly healthySince: number | null;
};

export const NO_STATUS: StatusRecord = { reported: null, awaySince: null, healthySince: null };

/** Whether the status of a server is an event now. @returns `event`: null: it is not */
export function noteStatus(
  { reported, awaySince, healthySince }: StatusRecord,
  status: ServerStatus,
  now: number,
): { readonly record: StatusRecord; readonly event: "healthy" | "degraded" | "offline" | null } {
  switch (status) {
    case "pending":
      return { record: { ...NO_STATUS, reported }, event: null };
    case "degraded":
      return { record: { ...NO_STATUS, reported: status }, event: reported === status ? null : status };
    case "healthy": {
      const since = healthySince ?? now;
      if (reported === "degraded" && now < since + HEALTHY_AFTER_MS)
        return { record: { ...NO_STATUS, reported, healthySince: since }, event: null };
      return { record: { ...NO_STATUS, reported: status }, event: reported === status ? null : status };
    }
    case "offline": {
      const since = awaySince ?? now;
      const isDue = reported !== "offline" && now >= since + OFFLINE_AFTER_MS;
      return {
        record: { ...NO_STATUS, reported: isDue ? status : reported, awaySince: since },
        event: isDue ? status : null,
      };
    }
  }
}

/** When the status of a server will be an event if it lasts, in Unix milliseconds; null: it is one. */
export function statusEventAt({ reported, awaySince, healthySince }: StatusRecord): number | null {
  if (healthySince !== null) return healthySince + HEALTHY_AFTER_MS;
  return awaySince === null || reported === "offline" ? null : awaySince + OFFLINE_AFTER_MS;
}
