import type { DeliveryState } from "#contract/endpoints/webhooks/kinds.ts";
import type { EventType } from "#contract/endpoints/events/schemas.ts";
import type { EventId } from "#contract/ids.ts";
import type { StoredAttempt, StoredDelivery } from "#worker/objects/outlet/stored-delivery.ts";

/** A delivery without its event's data. Times are Unix milliseconds. */
export type ShownDelivery = {
  readonly seq: number;
  readonly eventId: EventId;
  readonly eventType: EventType;
  readonly state: DeliveryState;
  readonly createdAt: number;
  readonly dueAt: number | null;
  readonly attemptCount: number;
  readonly attempts: readonly StoredAttempt[];
};

/** @param isUnderWay whether an attempt is under way */
export function shownDelivery(delivery: StoredDelivery, isUnderWay: boolean): ShownDelivery {
  const { seq, event, state, dueAt, attemptCount, attempts } = delivery;
  return {
    seq,
    eventId: event.id,
    eventType: event.type,
    state: isUnderWay ? "sending" : state,
    createdAt: Date.parse(event.timestamp),
    dueAt: isUnderWay ? null : dueAt,
    attemptCount,
    attempts,
  };
}
