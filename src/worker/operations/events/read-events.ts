import { wholeFrom } from "#contract/bounds.ts";
import type { Events, EventsQuery } from "#contract/endpoints/events/endpoints.ts";
import { typesOf } from "#contract/endpoints/events/patterns.ts";
import type { Event } from "#contract/endpoints/events/schemas.ts";
import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/log-stream.ts";
import type { EventId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  type EventFilter,
  findEvent,
  listEvents as readEvents,
  newestSequence,
  readEventsBetween,
  type StoredEvent,
} from "#worker/db/events/event-records.ts";
import { connectFirst } from "#worker/following/connect.ts";
import { type FeedEvent, followEvents as follow } from "#worker/following/events/follow-events.ts";
import { ObjectFollower } from "#worker/following/object-follower.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readPage } from "#worker/paging.ts";

/** Returns an event. */
export async function getEvent({ rows }: Context, id: EventId): Promise<Result<Event, "not_found">> {
  const event = await findEvent(rows, id);
  return event === null ? notFound("event") : succeed(event);
}

/** Lists the events that the token can see, newest first. */
export async function listEvents(
  { rows }: Context,
  query: EventsQuery,
): Promise<Result<Events, "invalid_request">> {
  const list = {
    name: "events",
    key: wholeFrom(1),
    keyOf: ({ sequence }: StoredEvent) => sequence,
    read: (position: { after: number | null; limit: number }) => readEvents(rows, filterOf(query), position),
  };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  return succeed({
    events: page.value.rows.map(({ event }) => event),
    next_cursor: page.value.nextCursor,
  });
}

/** What a query selects. */
export function filterOf({ type, project_id: projectId }: EventsQuery): EventFilter {
  return { types: type === undefined ? undefined : typesOf(type), projectId };
}

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
