import type { EventsQuery } from "#contract/endpoints/events/endpoints.ts";
import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/schemas.ts";
import type { Context } from "#worker/context.ts";
import { readEventsBetween } from "#worker/db/events/list-events.ts";
import { newestSequence } from "#worker/db/events/read-news.ts";
import { type FeedEvent, followEvents as follow } from "#worker/following/follow-events.ts";
import { filterOf } from "#worker/operations/events/list-events.ts";

/**
 * Follows the events that the token can see.
 * @param lastEventId the number of the last event that the client has; null: it wants only new ones
 */
export async function followEvents(
  { feeds, account, latestRows }: Context,
  query: EventsQuery,
  lastEventId: number | null,
): Promise<(signal: AbortSignal) => AsyncGenerator<FeedEvent>> {
  const filter = filterOf(query);
  const followed = {
    feed: () => feeds.getByName(account.id),
    read: (range: { after: number; until: number }, limit: number) =>
      readEventsBetween(latestRows, filter, range, limit),
    newest: () => newestSequence(latestRows),
    heartbeatMs: LOG_HEARTBEAT_MS,
  };
  const after = lastEventId ?? (await followed.newest());
  return (signal) => follow(followed, after, signal);
}
