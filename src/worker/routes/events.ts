import { eventEndpoints } from "#contract/endpoints/events/endpoints.ts";
import type { FeedEvent } from "#worker/following/events/follow-events.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { eventStream } from "#worker/http/streamed.ts";
import { followEvents, getEvent, listEvents } from "#worker/operations/events/read-events.ts";
import { eventStreamStart, heartbeat } from "#worker/views/log-views.ts";

export const eventRoutes = forTokens(eventEndpoints, {
  async listEvents(context, { query, mediaType, lastEventId, url }) {
    switch (mediaType) {
      case "application/json":
        return await answerPage(listEvents(context, query ?? {}), url);
      case "text/event-stream": {
        const events = await followEvents(context, query ?? {}, lastEventId);
        if (!events.ok) return events;
        return eventStream(context, (signal) => eventTexts(events.value(signal)));
      }
    }
  },
  getEvent: (context, { params }) => answer(getEvent(context, params.event_id)),
});

async function* eventTexts(events: AsyncGenerator<FeedEvent>): AsyncGenerator<string> {
  yield eventStreamStart;
  for await (const event of events) yield eventText(event);
}

function eventText(event: FeedEvent): string {
  switch (event.type) {
    case "alive":
      return heartbeat;
    case "events":
      return event.events.map((one) => `id: ${one.data.sequence}\ndata: ${JSON.stringify(one)}\n\n`).join("");
  }
}
