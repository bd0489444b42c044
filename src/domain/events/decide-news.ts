import { type EventInterest, matches } from "#domain/events/matches.ts";
import type { Event } from "#contract/endpoints/events/schemas.ts";

/** The last event that a feed has handed over. `id`: null: unknown. */
export type FeedCursor = { readonly sequence: number; readonly id: string | null };

export const NO_EVENT: FeedCursor = { sequence: 0, id: null };

type Numbered = { readonly sequence: number; readonly id: string };

/**
 * Which of the events are new. The sweep keeps the newest event of each account, so the last event that was handed over is
 * still there or newer ones are, unless an earlier state of the database was restored: then the same numbers are given to
 * other events.
 * @param found the events from the cursor on, oldest first
 */
export function decideNews<One extends Numbered>(
  cursor: FeedCursor,
  found: readonly One[],
): { readonly kind: "news"; readonly news: readonly One[] } | { readonly kind: "restored" } {
  if (cursor.sequence === 0) return { kind: "news", news: found };
  const [first] = found;
  if (first === undefined) return { kind: "restored" };
  if (first.sequence > cursor.sequence) return { kind: "news", news: found };
  if (cursor.id !== null && first.id !== cursor.id) return { kind: "restored" };
  return { kind: "news", news: found.slice(1) };
}

/** `createdAt`: Unix milliseconds. */
type Target = EventInterest & { readonly createdAt: number };
type Found = { readonly createdAt: number; readonly event: Event };

/** The events that a webhook gets: events that it selects, since it was created. */
export function eventsFor(target: Target, news: readonly Found[]): Event[] {
  return news
    .filter(({ createdAt, event }) => createdAt >= target.createdAt && matches(target, event))
    .map(({ event }) => event);
}
