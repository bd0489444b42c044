import { sql } from "drizzle-orm";
import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { EventId } from "#contract/ids.ts";
import { events } from "#worker/db/event-tables.ts";

// SQLite puts the parts of an event together, so that a list costs the Worker little time. The writer of a row made its
// data for its type. It may lack fields that a later version added.
const event = sql<Event>`json_object(
  'id', ${events.id},
  'type', ${events.type},
  'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', ${events.createdAt} / 1000.0, 'unixepoch'),
  'data', json_set(${events.data}, '$.sequence', ${events.sequence}, '$.actor', json(${events.actor}))
)`;

/** The fields of a StoredEvent. */
export const eventFields = {
  id: events.id,
  sequence: events.sequence,
  createdAt: events.createdAt,
  event,
};

export type StoredEvent = {
  readonly id: EventId;
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** As the API and webhooks show it. */
  readonly event: Event;
};
