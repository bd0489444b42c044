import type { ToAgent } from "#contract/agent-protocol.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import { hostOf, replaceHost } from "#domain/lane/placements.ts";
import { activeOf, type Host, type Lane } from "#domain/lane/lane.ts";

/** The longest between two tries, for an agent that is connected and cannot do what it is told. */
const MAX_RESEND_MS = 60 * 60_000;

export type DueForget = { serverId: ServerId; message: ToAgent };

/**
 * The servers that must be told now to let go of the project: those that have not been, or have not confirmed it. One
 * that is not connected is told when it says hello. One with a deployment under way is not: what that makes would go too.
 */
export function dueForgets(lane: Lane, projectId: ProjectId, now: number): DueForget[] {
  return lane.hosts.flatMap((host) => {
    const dueAt = forgetDueAt(lane, host);
    if (host.state.name !== "leaving" || dueAt === null || now < dueAt) return [];
    const message = { type: "forget", project_id: projectId, purge: host.state.purge } as const;
    return [{ serverId: host.serverId, message }];
  });
}

/** When the next server must be told, in Unix milliseconds; null: none, before an agent says hello. */
export function nextForgetAt(lane: Lane): number | null {
  const times = lane.hosts.flatMap((host) => forgetDueAt(lane, host) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Notes that the agent was, or may have been, told. */
export function noteForgetTold(lane: Lane, serverId: ServerId, kept: boolean, now: number): Lane {
  const host = hostOf(lane, serverId);
  if (host === null || host.state.name !== "leaving") return lane;
  const tries = host.state.tries + (kept ? 0 : 1);
  return replaceHost(lane, { serverId, state: { ...host.state, told: { at: now, kept }, tries } });
}

function forgetDueAt(lane: Lane, { serverId, state }: Host): number | null {
  if (state.name !== "leaving" || activeOf(lane)?.serverId === serverId) return null;
  if (state.told === null) return 0;
  if (state.told.kept) return null;
  return state.told.at + Math.min(MAX_RESEND_MS, RESEND_MS * 2 ** Math.min(state.tries - 1, 10));
}
