import { and, asc, eq, gt, lte } from "drizzle-orm";

import type { Event, EventType } from "#contract/endpoints/events/schemas.ts";
import type { EventId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { eventFields, type StoredEvent } from "#worker/db/events/event-fields.ts";
import { events } from "#worker/db/event-tables.ts";
import { byEach, wantedProjects } from "#worker/db/merged-lists.ts";
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
  const lists = listsOf(rows, filter, false);
  return lists === null
    ? await rows.select(eventFields, events, newestFirst(events.sequence, position))
    : await rows.selectMerged(eventFields, events, { ...lists, key: events.sequence }, position);
}

/** The account's events with numbers above `after`, up to `until`, oldest first. */
export async function readEventsBetween(
  rows: AccountRows,
  filter: EventFilter,
  { after, until }: { readonly after: number; readonly until: number },
  limit: number,
): Promise<StoredEvent[]> {
  const { sequence } = events;
  const lists = listsOf(rows, filter, true);
  if (lists !== null) {
    const merged = { ...lists, key: sequence };
    const found = await rows.selectMerged(eventFields, events, merged, { after, limit });
    return found.filter((event) => event.sequence <= until);
  }
  const where = and(gt(sequence, after), lte(sequence, until));
  return await rows.select(eventFields, events, { where, orderBy: [asc(sequence)], limit });
}

/** The account's event with this id; null if there is none. */
export async function findEvent(rows: AccountRows, id: EventId): Promise<Event | null> {
  const [found] = await rows.select(eventFields, events, { where: eq(events.id, id), limit: 1 });
  return found?.event ?? null;
}

/** A list for each project and type that the filter or the token names; null: neither names any. */
function listsOf(rows: AccountRows, { types, projectId }: EventFilter, isOldestFirst: boolean) {
  const projects = wantedProjects(rows, projectId);
  const given = [
    ...(projects === null ? [] : [[others.projectId, projects] as const]),
    ...(types === undefined ? [] : [[others.type, types] as const]),
  ];
  return given.length === 0 ? null : byEach(rows, others, given, { isOldestFirst });
}
