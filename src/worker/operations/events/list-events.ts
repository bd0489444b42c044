import { wholeFrom } from "#contract/bounds.ts";
import type { Events, EventsQuery } from "#contract/endpoints/events/endpoints.ts";
import { typesOf } from "#contract/endpoints/events/patterns.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  type EventFilter,
  listEvents as readEvents,
  type StoredEvent,
} from "#worker/db/events/event-records.ts";
import { readPage } from "#worker/paging.ts";

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
