import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, token } from "#contract/endpoints/endpoint-defaults.ts";
import { EventPattern } from "#contract/endpoints/events/patterns.ts";
import { ReadEvent } from "#contract/endpoints/events/schemas.ts";
import { EventId, ProjectId } from "#contract/ids.ts";
import { NextCursor, PageQuery, separatedByCommas } from "#contract/paging.ts";

/** Limits the events to some types, and to one project. */
export const EventsQuery = z.extend(PageQuery, {
  type: z.optional(separatedByCommas(EventPattern)),
  project_id: z.optional(ProjectId),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

export const Events = z.strictObject({ events: z.array(ReadEvent), next_cursor: NextCursor });
export type Events = z.infer<typeof Events>;

export const eventEndpoints = {
  listEvents: {
    ...get("/v1/events", token("events:read")),
    query: EventsQuery,
    success: { status: 200, body: Events },
    alsoAs: ["text/event-stream"],
    problems: ["too_many_followers"],
  },
  getEvent: {
    ...get("/v1/events/:event_id", token("events:read")),
    params: z.strictObject({ event_id: EventId }),
    success: { status: 200, body: ReadEvent },
  },
} as const satisfies Record<string, Endpoint>;
