import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { EventId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findEvent } from "#worker/db/events/event-records.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Returns an event. */
export async function getEvent({ rows }: Context, id: EventId): Promise<Result<Event, "not_found">> {
  const event = await findEvent(rows, id);
  return event === null ? notFound("event") : succeed(event);
}
