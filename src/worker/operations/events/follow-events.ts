import type { EventsQuery } from "#contract/endpoints/events/endpoints.ts";
import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { newestSequence, readEventsBetween } from "#worker/db/events/event-records.ts";
import { connectFirst } from "#worker/following/connect.ts";
import { type FeedEvent, followEvents as follow } from "#worker/following/events/follow-events.ts";
import { ObjectFollower } from "#worker/following/object-follower.ts";
import { filterOf } from "#worker/operations/events/list-events.ts";

/**
 * Follows the events that the token can see.
 * @param lastEventId the number of the last event that the client has; null: it wants only new ones
 */
export async function followEvents(
  { feeds, account, token, latestRows }: Context,
  query: EventsQuery,
  lastEventId: number | null,
): Promise<Result<(signal: AbortSignal) => AsyncGenerator<FeedEvent>, "too_many_followers">> {
  const filter = filterOf(query);
  // A new stub each time: a stub from before a restart of the feed stays broken.
  const connect = await connectFirst(() =>
    ObjectFollower.connect(feeds.getByName(account.id), "https://feed/", token.id, Number),
  );
  if (!connect.ok) return connect;
  const followed = {
    connect: connect.value,
    read: (range: { after: number; until: number }, limit: number) =>
      readEventsBetween(latestRows, filter, range, limit),
    newest: () => newestSequence(latestRows),
    heartbeatMs: LOG_HEARTBEAT_MS,
  };
  const after = lastEventId ?? (await followed.newest());
  return succeed((signal) => follow(followed, after, signal));
}
