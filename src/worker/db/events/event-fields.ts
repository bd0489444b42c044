import { sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { EventId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { events } from "#worker/db/event-tables.ts";

/** The writer of a row made its data for its type. It may lack fields that a later version added. */
const Stored = z.custom<Event>();

// SQLite puts the parts of an event together, so that a list costs the Worker little time.
const event = sql<string>`json_object(
  'id', ${events.id},
  'type', ${events.type},
  'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', ${events.createdAt} / 1000.0, 'unixepoch'),
  'data', json_set(${events.data}, '$.sequence', ${events.sequence}, '$.actor', json(${events.actor}))
)`;

/** The fields of an event for a select. Pass its rows to `storedEvent`. */
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

type EventRow = Omit<StoredEvent, "event"> & { readonly event: string };

/** An event that was read with `eventFields`. */
export function storedEvent({ event: json, ...row }: EventRow): StoredEvent {
  return { ...row, event: Stored.parse(parseJson(json)) };
}
