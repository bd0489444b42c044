import { and, asc, eq, gt, inArray, lte } from "drizzle-orm";

import type { Event, EventType } from "#contract/endpoints/events/schemas.ts";
import type { EventId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { eventFields, type StoredEvent } from "#worker/db/events/event-fields.ts";
import { events } from "#worker/db/event-tables.ts";
import { byEach, byProject } from "#worker/db/merged-lists.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { aliasOf } from "#worker/db/statements.ts";

const others = aliasOf(events, "others");

/** undefined: no limit. */
export type EventFilter = {
  readonly types: readonly EventType[] | undefined;
  readonly projectId: ProjectId | undefined;
};

/** The account's events, newest first. */
export async function listEvents(
  rows: AccountRows,
  filter: EventFilter,
  position: Position<number>,
): Promise<StoredEvent[]> {
  const { types, projectId } = filter;
  // With both filters, the events of the project are read until the page is full.
  const merged =
    byProject(rows, others, projectId, isOfType(others, types)) ??
    (types === undefined ? null : byEach(rows, others, others.type, types));
  return merged === null
    ? await rows.select(eventFields, events, newestFirst(events.sequence, position))
    : await rows.selectMerged(eventFields, events, { ...merged, key: events.sequence }, position);
}

/** The account's events with numbers above `after`, up to `until`, oldest first. */
export async function readEventsBetween(
  rows: AccountRows,
  filter: EventFilter,
  { after, until }: { readonly after: number; readonly until: number },
  limit: number,
): Promise<StoredEvent[]> {
  const where = and(gt(events.sequence, after), lte(events.sequence, until), conditionOf(filter));
  const selection = { where, orderBy: [asc(events.sequence)], limit };
  return await rows.select(eventFields, events, selection);
}

/** The account's event with this id; null if there is none. */
export async function findEvent(rows: AccountRows, id: EventId): Promise<Event | null> {
  const [found] = await rows.select(eventFields, events, { where: eq(events.id, id), limit: 1 });
  return found?.event ?? null;
}

function conditionOf({ types, projectId }: EventFilter) {
  return and(isOfType(events, types), projectId === undefined ? undefined : eq(events.projectId, projectId));
}

function isOfType({ type }: typeof events | typeof others, types: EventFilter["types"]) {
  return types === undefined ? undefined : inArray(type, [...types]);
}
