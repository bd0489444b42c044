import type { ToAgent } from "#contract/agent-protocol.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import { placementOf, replacePlacement } from "#domain/lane/placements.ts";
import { activeOf, type Placement, type Lane } from "#domain/lane/lane.ts";
import { backOffMs } from "#contract/lib/back-off.ts";

/** The time between two tries, for an agent that is connected and fails to remove the project. */
const BETWEEN_TRIES = { firstMs: RESEND_MS, longestMs: 60 * 60_000 };

export type PendingRemoval = { serverId: ServerId; message: ToAgent };

/**
 * The messages to servers that must remove the project and have not confirmed it. An offline server gets its message
 * when its agent connects. A server with an active deployment gets none, because it would remove the new release too.
 */
export function pendingRemovals(lane: Lane, projectId: ProjectId, now: number): PendingRemoval[] {
  return lane.placements.flatMap((placement) => {
    const dueAt = removalSendAt(lane, placement);
    if (placement.state.name !== "leaving" || dueAt === null || now < dueAt) return [];
    const message = { type: "remove_project", project_id: projectId, purge: placement.state.purge } as const;
    return [{ serverId: placement.serverId, message }];
  });
}

/** When the next message is sent, in Unix milliseconds; null if none is before an agent connects. */
export function nextRemovalAt(lane: Lane): number | null {
  const times = lane.placements.flatMap((placement) => removalSendAt(lane, placement) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Records that the message was sent. */
export function noteRemovalSent(lane: Lane, serverId: ServerId, undelivered: boolean, now: number): Lane {
  const placement = placementOf(lane, serverId);
  if (placement === null || placement.state.name !== "leaving") return lane;
  const tries = placement.state.tries + (undelivered ? 0 : 1);
  return replacePlacement(lane, {
    serverId,
    state: { ...placement.state, lastSend: { sentAt: now, undelivered }, tries },
  });
}

function removalSendAt(lane: Lane, { serverId, state }: Placement): number | null {
  if (state.name !== "leaving" || activeOf(lane)?.serverId === serverId) return null;
  if (state.lastSend === null) return 0;
  if (state.lastSend.undelivered) return null;
  return state.lastSend.sentAt + backOffMs(state.tries, BETWEEN_TRIES);
}
