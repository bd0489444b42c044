import { exampleOf } from "#contract/endpoints/events/examples.ts";
import { Event } from "#contract/endpoints/events/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

const live = exampleOf("deployment.live");

export const eventTexts = {
  listEvents: {
    summary: "List events, newest first",
    description: prose`
      Returns one page of the events of the account, newest first. An event is made in the same transaction as its
      change, and is kept for 90 days.

      \`type\` takes types and patterns: \`deployment.live,server.*\`. A token that is limited to projects sees only the
      events of these projects.

      With \`Accept: text/event-stream\`, the response has each new event as it is written (server-sent events). The
      \`id\` of an event is its \`data.sequence\`, and its \`data\` is an \`Event\`. The filters apply; \`limit\` and
      \`cursor\` do not. While there are no new events, the stream sends a comment every 10 seconds. It ends within 10
      seconds when its token is revoked or expires, and after at most 15 minutes. If it closes, connect again with
      \`Last-Event-ID\` set to the \`id\` of the last event you received: the stream continues there. No event is lost or
      repeated.`,
    answer: { events: [live], next_cursor: example.cursor },
    streamed: {
      "text/event-stream": {
        pieces: [Event],
        example: live,
        text: `id: ${live.data.sequence}\ndata: ${JSON.stringify(live)}\n`,
      },
    },
  },
  getEvent: {
    summary: "Get an event",
    description: prose`Returns one event, as its deliveries to webhooks have it. Events are kept for 90 days.`,
    answer: live,
  },
} as const satisfies Partial<OperationTexts>;
