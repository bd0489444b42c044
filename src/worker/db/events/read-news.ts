import { asc, desc, gte } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { eventFields, type StoredEvent } from "#worker/db/events/event-fields.ts";
import { events, webhooks } from "#worker/db/event-tables.ts";

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

/** The account's webhooks, also those that are disabled: their objects hold the events. */
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
