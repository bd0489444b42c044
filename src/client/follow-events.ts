import { eventEndpoints } from "#contract/endpoints/events/endpoints.ts";
import { ReadEvent } from "#contract/endpoints/events/schemas.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { type Followed, followStream } from "#client/follow-stream.ts";
import type { AnyRequest, Transport } from "#client/request.ts";

export type EventItem = { readonly type: "event"; readonly event: ReadEvent };

export type FollowEventsOptions = {
  /** The filters of `GET /v1/events`. */
  readonly query?: AnyRequest["query"];
  /** The number of the last event that the caller has; null: it wants only new ones. */
  readonly after: number | null;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
};

/**
 * Follows the events of the account that the token can see, each once and in order, until `signal` is aborted or the loop
 * is left. It never throws. Events of types that this version does not know are among them.
 */
export function followEvents(
  transport: Transport,
  { query = {}, after, signal }: FollowEventsOptions,
): AsyncGenerator<Followed<EventItem>> {
  return followStream(transport, {
    endpoint: eventEndpoints.listEvents,
    request: { query },
    lastId: after === null ? null : String(after),
    read: ({ data }) => {
      const event = parseKnown(ReadEvent, parseJson(data));
      return event.success ? { type: "event", event: event.data } : null;
    },
    signal,
  });
}
