import { and, asc, desc, gt, gte, lte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";

import type { Event, EventType } from "#contract/endpoints/events/schemas.ts";
import type { EventId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { events, webhooks } from "#worker/db/event-tables.ts";
import { byEach, wantedProjects } from "#worker/db/merged-lists.ts";
import type { Position } from "#worker/db/reads.ts";

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

const others = alias(events, "others");

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
    ? await rows.page(eventFields, events, events.sequence, position)
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
    return found.filter((one) => one.sequence <= until);
  }
  const where = and(gt(sequence, after), lte(sequence, until));
  return await rows.select(eventFields, events, { where, orderBy: [asc(sequence)], limit });
}

/** The account's event with this id; null if there is none. */
export async function findEvent(rows: AccountRows, id: EventId): Promise<Event | null> {
  return (await rows.find(eventFields, events, id))?.event ?? null;
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

const targetFields = {
  id: webhooks.id,
  events: webhooks.events,
  projectIds: webhooks.projectIds,
  createdAt: webhooks.createdAt,
};

/** The account's events from a number on, oldest first, and its webhooks. One round trip. */
export async function readNews(rows: AccountRows, from: number, limit: number) {
  const [found, targets] = await rows.selectBoth(
    [eventFields, events, oldestFirst(from, limit)],
    [targetFields, webhooks, {}],
  );
  return { events: found, targets };
}

/** The account's webhooks, also disabled webhooks: their objects hold the events. */
export async function findTargets(rows: AccountRows) {
  return await rows.select(targetFields, webhooks, {});
}

/** The account's events from a number on, oldest first. */
export async function readEventsFrom(rows: AccountRows, from: number, limit: number): Promise<StoredEvent[]> {
  return await rows.select(eventFields, events, oldestFirst(from, limit));
}

/** The number of the account's newest event; 0 if it has none. */
export async function newestSequence(rows: AccountRows): Promise<number> {
  const selection = { orderBy: [desc(events.sequence)], limit: 1 };
  const [newest] = await rows.select({ sequence: events.sequence }, events, selection);
  return newest?.sequence ?? 0;
}

function oldestFirst(from: number, limit: number) {
  return { where: gte(events.sequence, from), orderBy: [asc(events.sequence)], limit };
}
