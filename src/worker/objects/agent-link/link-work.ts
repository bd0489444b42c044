import type { LinkDeliveries } from "#worker/objects/agent-link/link-deliveries.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";
import type { StatusEvents } from "#worker/objects/agent-link/status-events.ts";
import type { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";

/** What the functions of an AgentLink share. */
export type LinkContext = LinkParts & {
  readonly status: StatusEvents;
  readonly deliveries: LinkDeliveries;
  readonly alarm: ObjectAlarm;
};

/** How often the alarm checks a connected link. An agent pings every 15 s. */
const CHECK_MS = 2 * 60_000;
/** How often the alarm checks a server whose deletion is overdue. */
const REMOVAL_CHECK_MS = 60_000;

/**
 * Runs all deliveries, also of the event if the server's status has changed. Sets the alarm first, so that it fires if the object
 * dies during the deliveries.
 */
export async function runDeliveries(link: LinkContext): Promise<void> {
  link.status.note(Date.now());
  const armed = armAlarm(link);
  await link.deliveries.run();
  await armed;
  await armAlarm(link);
}

/**
 * Records that the agent has disconnected, unless a socket is still ready.
 * @param endedAt when the last socket closed, in Unix milliseconds; null: unknown
 */
export async function recordDisconnect(link: LinkContext, endedAt: number | null): Promise<void> {
  const { sockets, presence } = link;
  if (sockets.isAnyReady() || !presence.isConnected()) return;
  presence.disconnected(endedAt);
  await runDeliveries(link);
}

/** Sets the alarm for the next check or retry, or removes it if no work is left. */
export async function armAlarm(link: LinkContext): Promise<void> {
  const { deliveries, presence, sockets, server, status, watch, alarm } = link;
  const { retries } = deliveries;
  const isLinked = presence.isConnected() || sockets.all().length > 0;
  const isPending = deliveries.isPending() || retries.failures > 0;
  const now = Date.now();
  const removalInMs = (server.removalCheckAt() ?? Infinity) - now;
  const inMs = Math.min(
    Math.max(0, (status.dueAt() ?? Infinity) - now),
    isLinked ? CHECK_MS : Infinity,
    removalInMs > 0 ? removalInMs : REMOVAL_CHECK_MS,
    isPending ? retries.delayMs : Infinity,
    sockets.isAnyReady() ? Math.max(0, (watch.retryAt() ?? Infinity) - now) : Infinity,
  );
  if (inMs === Infinity) await alarm.setExactly(null);
  else if (inMs === CHECK_MS) await alarm.setAbout(now + inMs, now);
  else await alarm.setExactly(now + inMs);
}
